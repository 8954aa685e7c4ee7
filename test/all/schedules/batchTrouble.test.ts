/** Scheduled batches whose manifest is bad, cannot be read, or cannot be kept. */
import os from 'node:os';
import { noopMetricMeter } from '@temporalio/common';
import { createStartFired } from '../../../src/activities/firing';
import { FAILURE } from '../../../src/contract';
import { cutouts } from '../../support/builders/batch';
import { eventually } from '../../support/eventually';
import { manifestOf, SIGNATURE } from '../../support/builders/manifests';
import { FIRST, NIGHTLY, useScheduledBatches } from '../../support/builders/scheduledBatches';
import { activityEnvironment } from '../../support/servers/log';

const { client, manifests, newName, newSchedule, sandbox, submitted, target, temporal, untilOver } =
  useScheduledBatches();

/** What makes up for a firing that failed. */
const makingUp = (name: string): string =>
  `run: segue schedule backfill ${name} --from ${FIRST} --to ${FIRST}, or if it was triggered: segue schedule trigger ${name}`;

/** The attempts of a firing that was ordered long ago. */
function lateAttempts() {
  const startFired = createStartFired(noopMetricMeter);
  const order = { schedule: newName(), time: FIRST, target: target(), ...NIGHTLY };
  const attempt = (number: number) =>
    activityEnvironment(
      { attempt: number, scheduledTimestampMs: Date.now() - 86_400_000, startToCloseTimeoutMs: 3_600_000 },
      { client: temporal.client },
    ).run(startFired, order);
  return { order, attempt };
}

test('P7: a bad manifest fails its firing with all that is wrong, and nothing is submitted', async () => {
  const [good = ''] = manifestOf(cutouts(sandbox.url, 1)).split('\n');
  const bad = Array.from({ length: 40 }, (_, index) => `{"tool":"none-${index}","request":{}}`);
  manifests.gives([good, ...bad].join('\n'));
  const name = await newSchedule();
  await client().schedules.backfill(name, FIRST, FIRST);
  const { status, error } = await untilOver(name);
  expect(status).toBe('failed');
  expect(error).toContain(`The batch was not started:\n  ${manifests.name}:2: tool: "none-0"`);
  expect(error).toContain('40 bad lines in all');
  expect(error?.split('\n').length).toBeLessThan(25);
  expect(await submitted()).toEqual([]);
  const shown = await client().schedules.show(name);
  expect(shown.target).toMatchObject({ spec: { manifest: `${manifests.name}?...` } });
  expect(JSON.stringify(shown)).not.toContain(SIGNATURE);
});

test('an address that cannot be read is asked again', async () => {
  manifests.gives(503);
  const name = await newSchedule();
  await client().schedules.backfill(name, FIRST, FIRST);
  await eventually('a second reading', () => manifests.asked.length >= 2);
  manifests.gives(manifestOf(cutouts(sandbox.url, 1)));
  expect(await untilOver(name)).toMatchObject({ status: 'succeeded', error: null });
});

test('P7: after half an hour of attempts the firing fails, and names the address without its signature', async () => {
  manifests.gives(403);
  const { order, attempt } = lateAttempts();
  const words = `${manifests.name} cannot be read: the answer is status 403`;
  await expect(attempt(9)).rejects.toMatchObject({ nonRetryable: false, message: words });
  await expect(attempt(25)).rejects.toMatchObject({
    ...{ nonRetryable: true, type: FAILURE.unreachable },
    message: `${words}. When that is fixed, ${makingUp(order.schedule)}`,
  });
});

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
    const words = `${manifests.name} cannot be read: ${os.hostname()} keeps no copy in ${folder}: ENOENT`;
    await expect(attempt(9)).rejects.toMatchObject({
      ...{ nonRetryable: false, type: FAILURE.unreachable, message: expect.stringContaining(words) },
    });
    const last = attempt(25);
    await expect(last).rejects.toMatchObject({ nonRetryable: true, type: FAILURE.unreachable });
    await expect(last).rejects.toThrow(words);
    await expect(last).rejects.toThrow(makingUp(order.schedule));
  });
});
