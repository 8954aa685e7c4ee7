/** How long somebody waits for a single job, alone and beside a batch. */
const { randomUUID } = require('node:crypto');
const { prepareBatch, segueClient } = require('./segueBatch');

const JOBS = 5;

exports.measureFairness = async function measureFairness(items, stage, sandbox) {
  const taskQueue = `bench-${randomUUID()}`;
  const worker = await stage.segueWorker(taskQueue, sandbox.url);
  try {
    const { media, batch } = segueClient(stage, taskQueue);
    const waitForOne = async () => {
      const began = performance.now();
      const request = { image_url: `${sandbox.url}/samples/mug.png` };
      const { status } = await media.run({ key: `one-${randomUUID()}`, tool: 'remove-background', request });
      if (status !== 'succeeded') throw new Error(`a single job is ${status}`);
      return performance.now() - began;
    };
    // The first loads what the others find loaded.
    await waitForOne();
    stage.say(`fairness: ${JOBS} jobs alone …`);
    const alone = await medianOf(JOBS, waitForOne);
    stage.say(`fairness: beside ${items} items …`);
    const running = await batch.start(await prepareBatch(items, sandbox.url));
    const beside = await medianOf(JOBS, async () => {
      const ms = await waitForOne();
      const { stage: at } = await running.status();
      return at === 'running' ? ms : undefined;
    });
    await running.result();
    return { items, alone, beside };
  } finally {
    await worker.stop();
  }
};

/** Of as many as can be had; one that is undefined ends it. */
async function medianOf(most, measure) {
  const values = [];
  while (values.length < most) {
    const value = await measure();
    if (value === undefined) break;
    values.push(value);
  }
  return { jobs: values.length, ms: values.sort((one, other) => one - other)[Math.floor(values.length / 2)] };
}
