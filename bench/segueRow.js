/** Items done by one batch of Segue. */
const { measureRow } = require('./row');
const { prepareBatch, segueClient } = require('./segueBatch');

const WARM_UP = 500;

exports.segueRow = async function segueRow(items, stage, sandbox, name = 'Segue') {
  const startWorker = (taskQueue) => stage.segueWorker(taskQueue, sandbox.url);
  const specs = new Map();
  for (const size of [WARM_UP, items]) specs.set(size, await prepareBatch(size, sandbox.url));
  return measureRow({ name, items, warmUp: WARM_UP }, stage, startWorker, async (taskQueue, size) => {
    const batch = await segueClient(stage, taskQueue).batch.start(specs.get(size));
    const { counts } = await batch.result();
    if (counts.succeeded !== size) throw new Error(`not all succeeded: ${JSON.stringify(counts)}`);
  });
};
