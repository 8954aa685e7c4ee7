/** Batches that a schedule starts, on a real Temporal server; the service's own ledger is the judge. */
import { noopMetricMeter } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { createStartFired } from '../../../src/activities/firing';
import { detailLines } from '../../../src/cli/schedule/format';
import { batchItemKey, firedKey, scheduleId } from '../../../src/contract/ids';
import { cutouts } from '../../support/builders/batch';
import { eventually } from '../../support/eventually';
import { manifestOf } from '../../support/builders/manifests';
import { addFault } from '../../support/service/sandbox';
import {
  FIRST,
  itemsOf,
  NIGHTLY,
  NIGHTS,
  useScheduledBatches,
} from '../../support/builders/scheduledBatches';
import { activityEnvironment } from '../../support/servers/log';

const { client, manifests, newName, newSchedule, sandbox, submitted, target, temporal, untilOver } =
  useScheduledBatches();

test('P2: one held item and three nightly firings are three runs, none of them skipped', async () => {
  manifests.gives(manifestOf(cutouts(sandbox.url, 3)));
  const name = await newSchedule();
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', fault: 'reset', when: 'after' },
    match: { requestId: `${batchItemKey(firedKey(name, FIRST), 2)}.submit.1` },
  });
  const { schedules } = client();
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
    {
      workflowId: `batch/${firedKey(name, FIRST)}`,
      status: 'held',
      error: '1 item held (see segue held)',
    },
  ]);
  expect(new Set(firings.map(({ digest }) => digest)).size).toBe(1);
  expect(await submitted()).toEqual(NIGHTS.flatMap((night) => itemsOf(name, night, 3)).sort());
  const held = temporal.client.workflow.getHandle(`media/${batchItemKey(firedKey(name, FIRST), 2)}`);
  expect((await held.describe()).status.name).toBe('RUNNING');
});

test('P1: the same time backfilled twice submits nothing new, whatever its address gives by then', async () => {
  manifests.gives(manifestOf(cutouts(sandbox.url, 2)));
  const name = await newSchedule();
  const { schedules } = client();
  await schedules.backfill(name, FIRST, FIRST);
  const first = await untilOver(name);
  manifests.gives(manifestOf(cutouts(sandbox.url, 4)));
  await schedules.backfill(name, FIRST, FIRST);
  const second = await untilOver(name, 2);
  expect(second).toMatchObject({ workflowId: first.workflowId, status: 'succeeded', digest: first.digest });
  expect(await submitted()).toEqual(itemsOf(name, FIRST, 2));
});

test('bad lines are left out where that is asked for', async () => {
  manifests.gives(`nonsense\n${manifestOf(cutouts(sandbox.url, 1))}`);
  const name = newName();
  const { schedules } = client();
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
  const { schedules } = client();
  await schedules.backfill(name, FIRST, FIRST);
  const { warnings, status } = await untilOver(name);
  expect({ warnings, status }).toEqual({
    warnings: [expect.stringMatching(/^line 1: has no key and an address that looks signed/)],
    status: 'succeeded',
  });
  expect(detailLines(await schedules.show(name))).toContain(`    warning: ${warnings.join()}`);

  const logged: unknown[] = [];
  const logger = new DefaultLogger('WARN', ({ meta }) => void logged.push(meta?.warning));
  const order = { schedule: newName(), time: FIRST, target: target(), ...NIGHTLY };
  const activity = activityEnvironment({}, { client: temporal.client, logger });
  await activity.run(createStartFired(noopMetricMeter), order);
  await temporal.client.workflow.getHandle(`batch/${firedKey(order.schedule, FIRST)}`).terminate();
  expect(logged).toEqual(warnings);
});
