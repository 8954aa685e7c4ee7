/** One row: so many items, from the first start to the last end, and what they took once the worker is warm. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { countActions } from './actions';
import { type Breakdown, breakdownSince } from './breakdown';
import { countEvents } from './events';
import { cpuMsOf, peakMiBOf, type Script } from './measured';
import { SHAPE_NAMES, type Shape } from './settings';
import { type BenchSandbox, ledgerSummary, type Stage } from './stage';
import { endWriters } from './writers';

/** Figures are for one item, `perSecond`, `peakMiB` and `breakdown` aside. */
export interface Row {
  name: string;
  shape: Shape;
  items: number;
  perSecond: number;
  events: number;
  actions: number;
  workerMs: number;
  serverMs: number;
  peakMiB: number;
  /** Not of very large rows: the ledger of those takes long to read. */
  breakdown?: Breakdown;
}

const LARGEST_BROKEN_DOWN = 20_000;

export interface Asked {
  name: string;
  shape: Shape;
  items: number;
  warmUp: number;
  sandbox: BenchSandbox;
}

/** `startWorker(taskQueue)` gives a worker of its own; `run(taskQueue, items)` does so many and ends with the last. */
export async function measureRow(
  { name, shape, items, warmUp, sandbox }: Asked,
  stage: Stage,
  startWorker: (taskQueue: string) => Promise<Script>,
  run: (taskQueue: string, items: number) => Promise<void>,
): Promise<Row> {
  const taskQueue = `bench-${randomUUID()}`;
  stage.say(`${name}, ${SHAPE_NAMES[shape]}, ${items} items …`);
  const worker = await startWorker(taskQueue);
  try {
    // Compiling what is used for the first time takes seconds of CPU, once a process.
    await run(taskQueue, warmUp);
    await endWriters(stage.client);
    const actionsBefore = await countActions(stage.metricsUrl);
    const ledgerBefore = await ledgerSummary(sandbox.url);
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
    const ledger = await ledgerSummary(sandbox.url);
    const lost = ledger.lostKeys - ledgerBefore.lostKeys;
    if (lost > 0) throw new Error(`${name} lost ${lost} keys of projects`);
    const breakdown = items > LARGEST_BROKEN_DOWN ? undefined : await breakdownSince(sandbox.url, since);
    stage.say(`  ${Math.round(seconds)} s, ${(workerMs + serverMs).toFixed(2)} ms of CPU an item`);
    const figures = { perSecond: items / seconds, events, actions, workerMs, serverMs, peakMiB };
    return { name, shape, items, ...figures, breakdown };
  } finally {
    await endWriters(stage.client);
    await worker.stop();
  }
}
