/** Items done by one batch of Segue. */
const { measureRow } = require('./row');
const { prepareBatch, segueClient } = require('./segueBatch');

/** It takes about as long as that of the hand-written one. */
const WARM_UP = 3_000;

exports.segueRow = async function segueRow(items, stage, sandbox, name = 'Segue') {
  const startWorker = (taskQueue) => stage.segueWorker(taskQueue, sandbox.url);
  const specs = [await prepareBatch(WARM_UP, sandbox.url), await prepareBatch(items, sandbox.url)];
  return measureRow({ name, items, warmUp: WARM_UP }, stage, startWorker, async (taskQueue, size) => {
    const batch = await segueClient(stage, taskQueue).batch.start(specs.shift());
    const { counts } = await batch.result();
    if (counts.succeeded !== size) throw new Error(`not all succeeded: ${JSON.stringify(counts)}`);
  });
};
