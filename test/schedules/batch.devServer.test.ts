/** Batches that a schedule starts, on a real Temporal server; the service's own ledger is the judge. */
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { MockActivityEnvironment } from '@temporalio/testing';
import { noopMetricMeter } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { createStartFired } from '../../src/activities/startFired';
import { detailLines } from '../../src/cli/schedule/words';
import { checkManifest, type Partition, readPartitions } from '../../src/client/batches/manifest';
import { linesOf } from '../../src/client/batches/manifest/lines';
import { startScheduledBatch } from '../../src/client/schedules/batchTarget';
import { type FiringReport } from '../../src/client/schedules/report';
import { FAILURE, type ScheduleTarget } from '../../src/contract';
import { ManifestNotKeptError, UnreachableAddressError } from '../../src/errors';
import { batchItemKey, firedKey, firingWorkflowId, scheduleId } from '../../src/ids';
import { batchOf, cutouts, oneByOne, resultsOf, startPartly } from '../support/batch';
import { useCampaigns } from '../support/campaign';
import { eventually } from '../support/eventually';
import { manifestOf, SIGNATURE, useManifests } from '../support/manifests';
import { addFault, readLedger } from '../support/sandbox';
import { useSchedules } from '../support/schedules';

const service = useCampaigns();
const manifests = useManifests();
const { newName, until } = useSchedules(service.client);
const { temporal, sandbox } = service;

const NIGHTS = ['2026-01-01T02:00:00Z', '2026-01-02T02:00:00Z', '2026-01-03T02:00:00Z'] as const;
const [FIRST] = NIGHTS;
const NIGHTLY = { spec: { cron: '0 2 * * *' }, timezone: 'UTC' };

/** What makes up for a firing that failed. */
const makingUp = (name: string): string =>
  `this makes up for it: segue schedule backfill ${name} --from ${FIRST} --to ${FIRST}, or if it was triggered: segue schedule trigger ${name}`;

const target = (): ScheduleTarget => ({ kind: 'batch', spec: { manifest: manifests.address } });

async function newSchedule(): Promise<string> {
  const name = newName();
  await service.client().schedules.create(name, { ...NIGHTLY, target: target() });
  return name;
}

/** The last firing, when so many are over; a batch with held items is. */
async function untilOver(name: string, count = 1): Promise<FiringReport> {
  const { firings } = await until(name, `the end of firing ${count}`, (report) => {
    const over = report.firings.filter(({ status }) => status !== 'running');
    return over.length === count;
  });
  const [last] = firings;
  if (!last) throw new Error(`${name} never fired`);
  return last;
}

/** Which items were submitted, by the keys that the service saw; each of them once. */
async function submitted(): Promise<string[]> {
  const { entries, summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ duplicates: 0 });
  const accepted = entries.filter(({ kind, applied }) => kind === 'submit' && applied);
  return accepted.map(({ requestId }) => String(requestId).replace(/\.submit\.\d+$/, '')).sort();
}

function itemsOf(name: string, time: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => batchItemKey(firedKey(name, time), index + 1));
}

test('P2: one held item and three nightly firings are three runs, none of them skipped', async () => {
  manifests.gives(manifestOf(cutouts(sandbox.url, 3)));
  const name = await newSchedule();
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', fault: 'reset', when: 'after' },
    match: { requestId: `${batchItemKey(firedKey(name, FIRST), 2)}.submit.1` },
  });
  const { schedules } = service.client();
  // Each of them would be skipped while the one before it is open.
  for (const [index, night] of NIGHTS.entries()) {
    await schedules.backfill(name, night, night, { overlap: 'skip' });
    await untilOver(name, index + 1);
    // The schedule learns of it a moment later than whoever asks for the firing itself.
    const schedule = temporal.client.schedule.getHandle(scheduleId(name));
    await eventually(
      'nothing open',
      async () => (await schedule.describe()).info.runningActions.length === 0,
    );
  }
  const { firings, fired, skipped } = await schedules.show(name);
  expect({ fired, skipped }).toEqual({ fired: 3, skipped: { overlap: 0, catchup: 0, buffer: 0 } });
  expect(firings).toMatchObject([
    { workflowId: `batch/${firedKey(name, NIGHTS[2])}`, status: 'succeeded', error: null },
    { workflowId: `batch/${firedKey(name, NIGHTS[1])}`, status: 'succeeded', error: null },
    { workflowId: `batch/${firedKey(name, FIRST)}`, status: 'held', error: '1 items need a person' },
  ]);
  expect(new Set(firings.map(({ digest }) => digest)).size).toBe(1);
  expect(await submitted()).toEqual(NIGHTS.flatMap((night) => itemsOf(name, night, 3)).sort());
  const held = temporal.client.workflow.getHandle(`media/${batchItemKey(firedKey(name, FIRST), 2)}`);
  expect((await held.describe()).status.name).toBe('RUNNING');
});

test('P1: the same time backfilled twice submits nothing new, whatever its address gives by then', async () => {
  manifests.gives(manifestOf(cutouts(sandbox.url, 2)));
  const name = await newSchedule();
  const { schedules } = service.client();
  await schedules.backfill(name, FIRST, FIRST);
  const first = await untilOver(name);
  manifests.gives(manifestOf(cutouts(sandbox.url, 4)));
  await schedules.backfill(name, FIRST, FIRST);
  const second = await untilOver(name, 2);
  expect(second).toMatchObject({ workflowId: first.workflowId, status: 'succeeded', digest: first.digest });
  expect(await submitted()).toEqual(itemsOf(name, FIRST, 2));
});

test('P7: a bad manifest fails its firing with all that is wrong, and nothing is submitted', async () => {
  const [good = ''] = manifestOf(cutouts(sandbox.url, 1)).split('\n');
  const bad = Array.from({ length: 40 }, (_, index) => `{"tool":"none-${index}","request":{}}`);
  manifests.gives([good, ...bad].join('\n'));
  const name = await newSchedule();
  await service.client().schedules.backfill(name, FIRST, FIRST);
  const { status, error } = await untilOver(name);
  expect(status).toBe('failed');
  expect(error).toContain(`the manifest ${manifests.name} cannot be run:\n  line 2: tool: "none-0"`);
  expect(error).toContain('40 bad lines in all');
  expect(error?.split('\n').length).toBeLessThan(25);
  expect(await submitted()).toEqual([]);
  const shown = await service.client().schedules.show(name);
  expect(shown.target).toMatchObject({ spec: { manifest: `${manifests.name}?...` } });
  expect(JSON.stringify(shown)).not.toContain(SIGNATURE);
});

test('bad lines are left out where that is asked for', async () => {
  manifests.gives(`nonsense\n${manifestOf(cutouts(sandbox.url, 1))}`);
  const name = newName();
  const { schedules } = service.client();
  const spec = { manifest: manifests.address, skipBad: true, concurrency: 1 };
  await schedules.create(name, { ...NIGHTLY, target: { kind: 'batch', spec } });
  await schedules.backfill(name, FIRST, FIRST);
  expect(await untilOver(name)).toMatchObject({ status: 'succeeded' });
  expect(await submitted()).toEqual(itemsOf(name, FIRST, 1));
});

test('what in a manifest may not be meant so is in the log of the worker, and shown with the firing', async () => {
  const request = { image_url: `${sandbox.url}/samples/mug.png?sig=1` };
  manifests.gives(JSON.stringify({ tool: 'remove-background', request }));
  const name = await newSchedule();
  const { schedules } = service.client();
  await schedules.backfill(name, FIRST, FIRST);
  const { warnings, status } = await untilOver(name);
  expect({ warnings, status }).toEqual({
    warnings: [expect.stringMatching(/^line 1: this line has no key, and an address that looks signed/)],
    status: 'succeeded',
  });
  expect(detailLines(await schedules.show(name))).toContain(`    warning: ${warnings.join()}`);

  const logged: unknown[] = [];
  const logger = new DefaultLogger('WARN', ({ meta }) => void logged.push(meta?.warning));
  const order = { schedule: newName(), time: FIRST, target: target(), ...NIGHTLY };
  const activity = new MockActivityEnvironment({}, { client: temporal.client, logger });
  await activity.run(createStartFired(noopMetricMeter), order);
  await temporal.client.workflow.getHandle(`batch/${firedKey(order.schedule, FIRST)}`).terminate();
  expect(logged).toEqual(warnings);
});

test('an address that cannot be read is asked again', async () => {
  manifests.gives(503);
  const name = await newSchedule();
  await service.client().schedules.backfill(name, FIRST, FIRST);
  await eventually('a second reading', () => manifests.asked.length >= 2);
  manifests.gives(manifestOf(cutouts(sandbox.url, 1)));
  expect(await untilOver(name)).toMatchObject({ status: 'succeeded', error: null });
});

/** A firing that was tried often, and the next try of it, by when the first one was ordered. */
function lateAttempts() {
  const startFired = createStartFired(noopMetricMeter);
  const order = { schedule: newName(), time: FIRST, target: target(), ...NIGHTLY };
  const attempt = (scheduledTimestampMs: number) =>
    new MockActivityEnvironment(
      { attempt: 9, scheduledTimestampMs, startToCloseTimeoutMs: 3_600_000 },
      { client: temporal.client },
    ).run(startFired, order);
  return { order, attempt };
}

test('P7: after half an hour of that the firing fails, and names the address without its signature', async () => {
  manifests.gives(403);
  const { order, attempt } = lateAttempts();
  const words = `${manifests.name} cannot be read: the answer is status 403`;
  await expect(attempt(Date.now())).rejects.toMatchObject({ nonRetryable: false, message: words });
  await expect(attempt(Date.now() - 31 * 60_000)).rejects.toMatchObject({
    ...{ nonRetryable: true, type: FAILURE.unreachable },
    message: `Nothing was submitted: ${words}. When that is mended, ${makingUp(order.schedule)}`,
  });
});

/** Four items in two partitions, as many of which were handed over as told. */
const leaving =
  (handedOver: number, byWhom?: string) =>
  async (key: string, token: string): Promise<void> => {
    const { partitions, ...spec } = batchOf(cutouts(sandbox.url, 4), 2, { key, source: manifests.name });
    const all: Parameters<typeof oneByOne>[0] = [];
    for await (const partition of partitions) all.push(partition);
    const some = oneByOne(all.slice(0, handedOver));
    const given = { ...spec, partitions: some };
    const by = { token: byWhom ?? token };
    if (handedOver < all.length) await startPartly(service.client(), given, by);
    else await service.client().batch.start(given, by);
  };

describe('a worker that cannot keep a copy of the manifest', () => {
  const folder = '/proc/no/room/here';
  beforeEach(() => {
    jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('tries again for half an hour; then the firing fails, and says what to do', async () => {
    manifests.gives(manifestOf(cutouts(sandbox.url, 1)));
    const { order, attempt } = lateAttempts();
    const words = `${os.hostname()} cannot keep a copy of ${manifests.name} in ${folder}: ENOENT`;
    await expect(attempt(Date.now())).rejects.toMatchObject({
      ...{ nonRetryable: false, type: FAILURE.notKept, message: expect.stringContaining(words) },
    });
    const last = attempt(Date.now() - 31 * 60_000);
    await expect(last).rejects.toMatchObject({ nonRetryable: true, type: FAILURE.notKept });
    await expect(last).rejects.toThrow(`Nothing was submitted: ${words}`);
    await expect(last).rejects.toThrow(makingUp(order.schedule));
  });

  test('P2: gives up the rest of what was handed over at the last attempt and not before', async () => {
    manifests.gives(manifestOf(cutouts(sandbox.url, 4)));
    const [key, token] = [`b-${randomUUID()}`, randomUUID()];
    await leaving(1)(key, token);
    const batch = await service.client().batch.get(key);
    const attempt = (isLastAttempt: boolean) =>
      startScheduledBatch(
        temporal.client,
        { key, manifest: manifests.address },
        { taskQueue: batch.taskQueue, token, isLastAttempt },
      );
    await expect(attempt(false)).rejects.toThrow(ManifestNotKeptError);
    expect(await attempt(true)).toMatchObject({ key, runId: batch.runId, existing: false });
    expect(await batch.result()).toMatchObject({
      incomplete: expect.stringContaining(`cannot keep a copy of ${manifests.name}`),
      counts: { succeeded: 2, cancelled: 2 },
    });
  });
});

describe('a worker that was killed while it handed a batch over', () => {
  /** The firing reads; what an earlier attempt of it left behind comes to be; then the address gives its answer. */
  async function fireAfter(
    left: (key: string, token: string) => Promise<void>,
    answer: string | number,
  ): Promise<string> {
    const name = await newSchedule();
    const release = manifests.holdBack();
    manifests.gives(answer);
    await service.client().schedules.backfill(name, FIRST, FIRST);
    await eventually('the reading', () => manifests.asked.length === 1);
    const { runId } = await temporal.client.workflow
      .getHandle(`${firingWorkflowId(name)}-${FIRST}`)
      .describe();
    await left(firedKey(name, FIRST), runId);
    release();
    return name;
  }

  test('P1: the next one goes on with the same manifest', async () => {
    // So long that eight of them fill a partition; nobody is told of anything.
    const notify = { userId: 'u-1', workspaceId: '1', on: [], link: `${sandbox.url}/${'x'.repeat(60_000)}` };
    const text = manifestOf(cutouts(sandbox.url, 10, { notify }));
    const lines = () => linesOf([Buffer.from(text)]);
    const left = async (key: string, token: string): Promise<void> => {
      const { digest, items, partitions } = await checkManifest(lines());
      const { value: first } = (await readPartitions(lines()).next()) as { value: Partition };
      expect(partitions).toHaveLength(2);
      const manifest = { digest, items, partitions };
      const spec = { key, source: manifests.name, manifest, partitions: oneByOne([first]) };
      await startPartly(service.client(), spec, { token });
    };
    const name = await fireAfter(left, text);
    expect(await untilOver(name)).toMatchObject({ status: 'succeeded', error: null });
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 10).sort());
  });

  test('P2: where its address gives another manifest, what is there goes on, and the rest is told', async () => {
    const name = await fireAfter(leaving(1), manifestOf(cutouts(sandbox.url, 9)));
    expect(await untilOver(name)).toMatchObject({
      status: 'failed',
      error: `2 items were not handed over: ${manifests.name} gave another manifest when the rest was to be read`,
    });
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 2));
    const batch = await service.client().batch.get(firedKey(name, FIRST));
    expect(await batch.result()).toMatchObject({ counts: { succeeded: 2, cancelled: 2 } });
    expect(await resultsOf(batch)).toHaveLength(2);
  });

  test('P2: where its address cannot be read any more, the rest is given up at the last attempt and not before', async () => {
    manifests.gives(503);
    const [key, token] = [`b-${randomUUID()}`, randomUUID()];
    await leaving(1)(key, token);
    const batch = await service.client().batch.get(key);
    const asked = { key, manifest: manifests.address };
    const attempt = (isLastAttempt: boolean, requireCurrent = () => Promise.resolve()) =>
      startScheduledBatch(temporal.client, asked, {
        ...{ taskQueue: batch.taskQueue, token, isLastAttempt, requireCurrent },
      });
    await expect(attempt(false)).rejects.toThrow(UnreachableAddressError);
    const late = attempt(true, () => Promise.reject(new Error('another attempt goes on')));
    await expect(late).rejects.toThrow('another attempt goes on');
    expect(await batch.status()).toMatchObject({ stage: 'running', incomplete: null });

    expect(await attempt(true)).toMatchObject({ key, runId: batch.runId, existing: false });
    const incomplete = `${manifests.name} cannot be read: the answer is status 503`;
    expect(await batch.result()).toMatchObject({ incomplete, counts: { succeeded: 2, cancelled: 2 } });
    expect(await batch.report()).toMatchObject({
      ...{ status: 'failed', error: `2 items were not handed over: ${incomplete}` },
    });
    expect(await submitted()).toEqual([1, 2].map((item) => batchItemKey(key, item)));
  });

  test('a batch that is all there needs its address no more', async () => {
    const name = await fireAfter(leaving(2), 'nonsense');
    expect(await untilOver(name)).toMatchObject({ status: 'succeeded', error: null });
    expect(await submitted()).toEqual(itemsOf(name, FIRST, 4));
  });

  test("what is somebody else's is left alone, and a person is told how to end it", async () => {
    const name = await fireAfter(leaving(1, 'somebody'), manifestOf(cutouts(sandbox.url, 9)));
    const key = firedKey(name, FIRST);
    expect(await untilOver(name)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`End it with: segue batch cancel ${key} --by NAME`),
    });
    const batch = await service.client().batch.get(key);
    await batch.cancel({ by: 'olga' });
    expect(await batch.result()).toMatchObject({ status: 'cancelled' });
  });
});
