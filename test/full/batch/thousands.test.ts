/** A large batch, and its worker and its client killed on the way: nothing is paid for twice, nothing is lost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Batch } from '../../../src/client/batches';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type BatchItem, type BatchStatus, type ProjectRef } from '../../../src/contract';
import { keyIn } from '../../../src/contract/ids';
import { inParallel } from '../../../src/platform/parallel';
import { type RuleRequest } from '../../../sandbox/src/faults/rules';
import { type LedgerSummary } from '../../../sandbox/src/ledger';
import { cutouts, resultsOf } from '../../support/builders/batch';
import { decideByLedger } from '../../support/builders/deciding';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import {
  expectHoldsExplained,
  type LedgerAtKill,
  killWorker,
  lastReported,
  UNANSWERED,
} from '../../support/service/onWire';
import { addFault, ask, readLedger } from '../../support/service/sandbox';
import { type Settings } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { KEPT, readProject, seedProject } from '../../support/builders/writing';

const { full } = shared();
const ITEMS = full ? 10_000 : 300;
/** A partition holds 500 items or 512 KiB; with long lines there are several of a few items, too. */
const LINE_LENGTH = full ? 0 : 10_000;
const [PROJECTS, KILLS] = full ? [20, 2] : [3, 2];
const TIMEOUT_MS = full ? 1_500_000 : 170_000;
/** The service does the work at once, and is this slow to say so. */
const ANSWERS: RuleRequest = {
  ...{ operation: 'remove-background', match: { every: 1 } },
  ...{ fault: 'delay', when: 'after', ms: 100 },
};
/** The service accepts these POSTs and never answers them: the worker is killed after each. */
const UNANSWERED_AT = [0.3 * ITEMS, 0.6 * ITEMS].slice(0, KILLS);
/** Half of a worker's slots are for batches. */
const ON_WIRE = full ? 50 : 25;

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);
let client: ChildProcess | undefined;
afterEach(() => client?.kill('SIGKILL'));

test(
  `P1 P2 P3: ${ITEMS} items, ${KILLS} kill -9 of the worker and one of the client while it hands over`,
  async () => {
    // Without ETags only: that is harder, and so many items take long.
    const sandboxUrl = await processes.sandbox('--pace', 'polls=2', '--no-etags');
    for (const nth of UNANSWERED_AT)
      await addFault(sandboxUrl, { operation: 'remove-background', match: { nth }, ...UNANSWERED });
    await addFault(sandboxUrl, ANSWERS);
    const projects = await Promise.all(Array.from({ length: PROJECTS }, () => seedProject(sandboxUrl)));
    const items = itemsFor(sandboxUrl, projects);
    const manifest = path.join(shared().scratch, `${randomUUID()}.ndjson`);
    await writeFile(manifest, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    const config = testConfig();
    const key = `b-${randomUUID()}`;
    const settings: Settings = {
      ...{ TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: config.taskQueue },
      ...{ SEGUE_POLL_MIN: '300ms', SEGUE_POLL_MAX: '400ms', SEGUE_SUBMIT_TIMEOUT: '30s' },
    };
    const submitted = async (): Promise<number> => (await summaryOf(sandboxUrl)).submissions;
    const startWorker = () =>
      processes.worker(config.taskQueue, sandboxUrl, { SEGUE_MAX_SUBMITS: String(2 * ON_WIRE) });

    let worker = await startWorker();
    await killClientInTheMiddle(manifest, key, settings);
    const segue = segueClient(temporal, config);
    const batch = await segue.batch.get(key);
    expect((await statusOf(batch)).partitions).toMatchObject({ handedOver: 2 });
    const watch = watchProgress(batch, submitted);

    const again = processes.start(['batch', 'start', manifest, '--key', key], settings);
    expect((await again.ended()).code).toBe(0);
    const kills: LedgerAtKill[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await untilUnanswered(sandboxUrl, kill);
      kills.push(await killWorker(worker, sandboxUrl));
      worker = await startWorker();
    }
    const result = await batch.result();
    const looks = await watch.stop();

    const { held } = result.counts;
    expect(held).toBeLessThanOrEqual(KILLS * ON_WIRE);
    expect(result).toMatchObject({
      items: ITEMS,
      counts: { succeeded: ITEMS - held, failed: 0, waiting: 0 },
    });
    const results = await resultsOf(batch);
    expect(results.map((one) => one.key)).toEqual(items.map((one) => one.key));
    const left = results.flatMap(({ status, workflowId }) => (status === 'held' ? [workflowId ?? ''] : []));
    expect(left).toHaveLength(held);
    await expectHoldsExplained(sandboxUrl, kills, left.map(keyIn));
    await inParallel(5, left, async (workflowId) => {
      const job = (await segue.job(workflowId)) as MediaJob;
      await decideByLedger(job, sandboxUrl);
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    });

    expect(await summaryOf(sandboxUrl)).toMatchObject({ submissions: ITEMS, duplicates: 0, lostKeys: 0 });
    await expectAllWritten(sandboxUrl, projects, items);
    const longest = await longestHistory(key);
    expect(longest.events).toBeLessThan(4_096);
    expect(longest.bytes).toBeLessThan(4 * 1024 * 1024);
    process.stderr.write(
      `batch: ${ITEMS} items, ${KILLS + 1} kills, ${held} held and decided, ` +
        `${looks} looks at its progress, histories of at most ${longest.events} events and ${Math.round(longest.bytes / 1024)} KiB\n`,
    );
  },
  TIMEOUT_MS,
);

/** Each project gets the results of as many as any other. */
function itemsFor(sandboxUrl: string, projects: ProjectRef[]): BatchItem[] {
  const padding = LINE_LENGTH > 0 ? '#'.padEnd(LINE_LENGTH, 'x') : '';
  const request = { image_url: `${sandboxUrl}/samples/mug.png${padding}` };
  const all = cutouts(sandboxUrl, ITEMS, { request });
  const share = ITEMS / projects.length;
  return projects.flatMap((project, n) =>
    all
      .slice(n * share, (n + 1) * share)
      .map((item) => ({ ...item, write: { project, at: `/made/${item.key}` } })),
  );
}

async function summaryOf(sandboxUrl: string): Promise<LedgerSummary> {
  const { json } = await ask(sandboxUrl, 'GET /_sandbox/ledger?entries=no');
  return json.summary as LedgerSummary;
}

/** The next POST is not answered, and later ones were answered and are polled: the server knows of all before them. */
async function untilUnanswered(sandboxUrl: string, kill: number): Promise<void> {
  const isPassed = async (): Promise<boolean> => {
    const { entries } = await readLedger(sandboxUrl);
    const stuck = entries.filter(({ fault }) => fault === 'hang after')[kill];
    return stuck !== undefined && lastReported(entries) > stuck.seq;
  };
  await eventually('others that pass the stuck one', isPassed, TIMEOUT_MS);
}

/** Two partitions are with the server, the others are not even read. */
async function killClientInTheMiddle(manifest: string, key: string, settings: Settings): Promise<void> {
  const support = path.resolve(__dirname, '../../support');
  const script = ['-r', `${support}/typescript.js`, `${support}/preload/handOverHalf.ts`];
  const child = spawn(process.execPath, [...script, manifest, key, '2'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  client = child;
  const ended = once(child, 'exit');
  const { batch } = segueClient(temporal, testConfig());
  const isHalf = await eventually('the first partitions', async () => {
    if (child.exitCode !== null) return 'ended';
    return (await statusOf(await batch.get(key))).partitions.handedOver === 2;
  });
  if (isHalf === 'ended') throw new Error('the client ended by itself');
  child.kill('SIGKILL');
  await ended;
}

/** Asked again where the worker that answered was just killed. */
function statusOf(batch: Batch): Promise<BatchStatus> {
  return eventually('an answer', () => batch.status(), TIMEOUT_MS);
}

/** Looks at the progress again and again: it never goes back, is whole each time, and never ahead of the service. */
function watchProgress(batch: Batch, submitted: () => Promise<number>): { stop: () => Promise<number> } {
  let [isOver, looks] = [false, 0];
  let before = { over: 0, handedOver: 0, percent: 0 };
  const look = async (): Promise<void> => {
    const { counts, percent, partitions, items } = await statusOf(batch);
    const atTheService = await submitted();
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const over = counts.succeeded + counts.failed + counts.held;
    expect([items, all]).toEqual([ITEMS, ITEMS]);
    expect(counts.succeeded).toBeLessThanOrEqual(atTheService);
    expect(percent).toBe(Math.floor((100 * over) / ITEMS));
    const now = { over, handedOver: partitions.handedOver, percent };
    for (const name of ['over', 'handedOver', 'percent'] as const)
      expect(now[name]).toBeGreaterThanOrEqual(before[name]);
    before = now;
    looks += 1;
  };
  const watching = (async () => {
    while (!isOver) await look();
  })();
  // Told when it is stopped.
  watching.catch(() => undefined);
  return {
    stop: async () => {
      isOver = true;
      await watching;
      await look();
      expect(before).toMatchObject({ over: ITEMS, percent: 100 });
      return looks;
    },
  };
}

/** Every result is where it belongs, and what was there before still is. */
async function expectAllWritten(
  sandboxUrl: string,
  projects: ProjectRef[],
  items: BatchItem[],
): Promise<void> {
  for (const project of projects) {
    const { made, ...others } = (await readProject(sandboxUrl, project)).data as { made: object };
    const expected = items.filter(({ write }) => write?.project.id === project.id).map(({ key }) => key);
    expect(Object.keys(made).sort()).toEqual(expected.sort());
    expect(others).toEqual(KEPT);
  }
}

/** Of all runs of its partitions. */
async function longestHistory(key: string): Promise<{ events: number; bytes: number }> {
  const longest = { events: 0, bytes: 0 };
  const query = `WorkflowId STARTS_WITH 'batch-part/${key}~'`;
  for await (const { workflowId, runId } of temporal.client.workflow.list({ query })) {
    const { raw } = await temporal.client.workflow.getHandle(workflowId, runId).describe();
    const { historyLength, historySizeBytes } = raw.workflowExecutionInfo ?? {};
    longest.events = Math.max(longest.events, Number(historyLength));
    longest.bytes = Math.max(longest.bytes, Number(historySizeBytes));
  }
  return longest;
}
