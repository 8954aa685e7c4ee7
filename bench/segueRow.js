/** Items done by one batch of Segue. */
const { measureRow } = require('./row');
const { prepareBatch, segueClient } = require('./segueBatch');

exports.segueRow = async function segueRow(items, stage, sandbox, name = 'Segue') {
  const spec = await prepareBatch(items, sandbox.url);
  const startWorker = (taskQueue) => stage.segueWorker(taskQueue, sandbox.url);
  return measureRow({ name, items }, stage, startWorker, async (taskQueue) => {
    const batch = await segueClient(stage, taskQueue).batch.start(spec);
    const { counts } = await batch.result();
    if (counts.succeeded !== items) throw new Error(`not all succeeded: ${JSON.stringify(counts)}`);
  });
};
