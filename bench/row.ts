/** One row: so many items, from the first start to the last end, and what they took once the worker is warm. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { countActions } from './actions';
import { countEvents } from './events';
import { cpuMsOf, peakMiBOf, type Script } from './measured';
import { type Stage } from './stage';

/** Figures are for one item, `perSecond` and `peakMiB` aside. */
export interface Row {
  name: string;
  items: number;
  perSecond: number;
  events: number;
  actions: number;
  workerMs: number;
  serverMs: number;
  peakMiB: number;
}

/** `startWorker(taskQueue)` gives a worker of its own; `run(taskQueue, items)` does so many and ends with the last. */
export async function measureRow(
  { name, items, warmUp }: { name: string; items: number; warmUp: number },
  stage: Stage,
  startWorker: (taskQueue: string) => Promise<Script>,
  run: (taskQueue: string, items: number) => Promise<void>,
): Promise<Row> {
  const taskQueue = `bench-${randomUUID()}`;
  stage.say(`${name}, ${items} items …`);
  const worker = await startWorker(taskQueue);
  try {
    // Compiling what is used for the first time takes seconds of CPU, once a process.
    await run(taskQueue, warmUp);
    const actionsBefore = await countActions(stage.metricsUrl);
    const since = new Date();
    const before = { worker: cpuMsOf(worker.pid), server: cpuMsOf(stage.serverPid) };
    const began = performance.now();
    await run(taskQueue, items);
    const seconds = (performance.now() - began) / 1_000;
    // What the server still does for what is over belongs to it.
    await sleep(500);
    const workerMs = (cpuMsOf(worker.pid) - before.worker) / items;
    const serverMs = (cpuMsOf(stage.serverPid) - before.server) / items;
    const peakMiB = peakMiBOf(worker.pid);
    const actions = ((await countActions(stage.metricsUrl)) - actionsBefore) / items;
    const events = (await countEvents(stage.client, { taskQueue, since })) / items;
    stage.say(`  ${Math.round(seconds)} s, ${(workerMs + serverMs).toFixed(2)} ms of CPU an item`);
    return { name, items, perSecond: items / seconds, events, actions, workerMs, serverMs, peakMiB };
  } finally {
    await worker.stop();
  }
}
