/** One row: so many items, from the first start to the last end, and what they took once the worker is warm. */
const { randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { countActions } = require('./actions');
const { countEvents } = require('./events');
const { cpuMsOf, peakMiBOf } = require('./measured');

/** `startWorker(taskQueue)` gives a worker of its own; `run(taskQueue, items)` does so many and ends with the last. */
async function measureRow({ name, items, warmUp }, stage, startWorker, run) {
  const taskQueue = `bench-${randomUUID()}`;
  stage.say(`${name}, ${items} items …`);
  const worker = await startWorker(taskQueue);
  try {
    // Compiling what is used for the first time takes seconds of CPU, once a process.
    await run(taskQueue, warmUp);
    const pids = [worker.pid, stage.serverPid];
    const actionsBefore = await countActions(stage.metricsUrl);
    const since = new Date();
    const before = pids.map(cpuMsOf);
    const began = performance.now();
    await run(taskQueue, items);
    const seconds = (performance.now() - began) / 1_000;
    // What the server still does for what is over belongs to it.
    await sleep(500);
    const [workerMs, serverMs] = pids.map((pid, place) => (cpuMsOf(pid) - before[place]) / items);
    const peakMiB = peakMiBOf(worker.pid);
    const actions = ((await countActions(stage.metricsUrl)) - actionsBefore) / items;
    const events = (await countEvents(stage.client, { taskQueue, since })) / items;
    stage.say(`  ${Math.round(seconds)} s, ${(workerMs + serverMs).toFixed(2)} ms of CPU an item`);
    return { name, items, perSecond: items / seconds, events, actions, workerMs, serverMs, peakMiB };
  } finally {
    await worker.stop();
  }
}

module.exports = { measureRow };
