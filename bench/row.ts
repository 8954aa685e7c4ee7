/** One row: the time and resources for a number of items, measured with a warm worker. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { countActions } from './actions';
import { type Breakdown, breakdownSince } from './breakdown';
import { cpuMsOf, peakMiBOf, type Script } from './measured';
import { runsSince, terminateOpenRuns } from './runs';
import { type Shape, SHAPES } from './settings';
import { ledgerSummary, type Stage } from './stage';
import { countSaved, prepareWork, type Work } from './work';

/** One implementation of the work. */
export interface Way {
  name: string;
  /** Items that run before the measured ones, at most: code that runs for the first time takes seconds of CPU. */
  warmUp: number;
  startWorker: (stage: Stage, taskQueue: string, sandboxUrl: string) => Promise<Script>;
  /** Ends when all items are done. */
  run: (work: Work, stage: Stage, taskQueue: string, sandboxUrl: string) => Promise<void>;
}

export interface Size {
  items: number;
  shape: Shape;
  /** The number of polls until a task is over. */
  polls: number;
}

/** Figures are per item, except `perSecond`, `peakMiB` and `breakdown`. */
export interface Row extends Size {
  name: string;
  perSecond: number;
  events: number;
  actions: number;
  workerMs: number;
  serverMs: number;
  peakMiB: number;
  breakdown: Breakdown;
  /** What the service did twice, or did not do. */
  errors: string[];
}

export async function measureRow(way: Way, size: Size, stage: Stage): Promise<Row> {
  const { items, shape, polls } = size;
  const { name } = way;
  stage.say(`${name}, ${SHAPES[shape].name}, ${items} items …`);
  const taskQueue = `bench-${randomUUID()}`;
  const sandbox = await stage.sandbox(polls);
  const worker = await way.startWorker(stage, taskQueue, sandbox.url);
  try {
    const warmUp = await prepareWork(Math.min(way.warmUp, items), shape, sandbox.url);
    const work = await prepareWork(items, shape, sandbox.url);
    await way.run(warmUp, stage, taskQueue, sandbox.url);
    await settle();
    await terminateOpenRuns(stage.client, taskQueue);
    const actionsBefore = await countActions(stage.metricsUrl);
    const ledgerBefore = await ledgerSummary(sandbox.url);
    const cpuBefore = { worker: cpuMsOf(worker.pid), server: cpuMsOf(stage.serverPid) };
    const since = new Date();
    const began = performance.now();
    await way.run(work, stage, taskQueue, sandbox.url);
    const seconds = (performance.now() - began) / 1_000;
    await settle();
    const workerMs = (cpuMsOf(worker.pid) - cpuBefore.worker) / items;
    const serverMs = (cpuMsOf(stage.serverPid) - cpuBefore.server) / items;
    const peakMiB = peakMiBOf(worker.pid);
    const actions = ((await countActions(stage.metricsUrl)) - actionsBefore) / items;
    const runs = await runsSince(stage.client, { taskQueue, since });
    const events = runs.reduce((sum, run) => sum + run.events, 0) / items;
    const breakdown = await breakdownSince(since, runs, sandbox.url);
    const ledger = await ledgerSummary(sandbox.url);
    const errors = errorsOf({
      submitted: ledger.submissions - ledgerBefore.submissions - items,
      saved: (await countSaved(work, sandbox.url)) - items,
      notified: ledger.notifications - ledgerBefore.notifications - items,
      'submitted twice': ledger.duplicates,
      'notified twice': ledger.duplicateNotifications,
      'lost by a PATCH': ledger.lostKeys,
    });
    stage.say(`  ${seconds.toFixed(1)} s, ${(workerMs + serverMs).toFixed(2)} ms of CPU an item`);
    const figures = { perSecond: items / seconds, events, actions, workerMs, serverMs, peakMiB };
    return { name, ...size, ...figures, breakdown, errors };
  } finally {
    await worker.stop();
    await terminateOpenRuns(stage.client, taskQueue);
    await sandbox.stop();
  }
}

/** The server uses CPU for the work for a moment after its end, which must be counted too. */
async function settle(): Promise<void> {
  await sleep(500);
}

/** Describes each difference that is not 0. */
function errorsOf(differences: Record<string, number>): string[] {
  return Object.entries(differences)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${what}: ${count > 0 ? '+' : ''}${count}`);
}

/** Waits until the service has sent a notification for each item. Waiting for each run would cost the server more. */
export async function notified(
  sandboxUrl: string,
  items: number,
  start: () => Promise<unknown>,
): Promise<void> {
  const { notifications: before } = await ledgerSummary(sandboxUrl);
  await start();
  while ((await ledgerSummary(sandboxUrl)).notifications < before + items) await sleep(100);
}
