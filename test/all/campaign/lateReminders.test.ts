/**
 * A reminder that falls due while no worker is there, and what the clock shows when one comes. The tests wait for that
 * side by side.
 */
import { cutout, newCampaign, startCampaign, type TestCampaign } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, withSandbox } from '../../support/service/sandbox';
import { testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { onASaturday, onAWednesday } from '../../support/builders/workingHours';

const DAY_MS = 86_400_000;

const temporal = useTemporal();
const INSTANT = { pace: { kind: 'instant' } } as const;

test.concurrent('a reminder that was due while no worker ran waits for working hours', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = testConfig();
    const spec = await newCampaign(sandboxUrl, {
      scope: { organization: '1' },
      media: { cutout: cutout(sandboxUrl) },
      // Long enough for the first worker to be gone, however slow the machine.
      approval: { from: 'u-2', remind: '15s' },
    });
    const ask = async (): Promise<TestCampaign> => {
      const campaign = await startCampaign(temporal, config, spec);
      await eventually('the plan', async () => (await campaign.status()).approval?.nextReminderAt);
      await eventually('the question to be told', () => waitsForTimeAlone(campaign));
      return campaign;
    };
    const campaign = await withWorker(temporal, config, sandboxUrl, ask, { wallClock: onAWednesday });
    await eventually('the reminder to be due', () => isAwaitingWorker(campaign));

    const decide = async (): Promise<void> => {
      await eventually('its new time', async () => {
        const { approval } = await campaign.status();
        return Date.parse(approval?.nextReminderAt ?? '') > Date.now() + DAY_MS;
      });
      expect(await campaign.reminders()).toEqual([]);
      await campaign.decide({ decision: 'approve', by: 'u-2' });
      expect(await campaign.result()).toMatchObject({ status: 'completed' });
    };
    await withWorker(temporal, config, sandboxUrl, decide, { wallClock: onASaturday });
  }),
);

test.concurrent('nobody is reminded while the question is still on its way', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = testConfig();
    const spec = await newCampaign(sandboxUrl, {
      scope: { organization: '1' },
      media: { cutout: cutout(sandboxUrl) },
      approval: { from: 'u-2', remind: '1s' },
    });
    const tries = async (): Promise<number> => {
      const { entries } = await readLedger(sandboxUrl);
      return entries.filter(({ operation }) => operation === 'notify').length;
    };
    const before = await tries();
    await addFault(sandboxUrl, answering(429, 'notify'));
    const work = async (): Promise<void> => {
      const campaign = await startCampaign(temporal, config, spec);
      await eventually('a reminder that is due, and a question that is tried again', async () => {
        const { approval } = await campaign.status();
        const isDue = Date.parse(approval?.nextReminderAt ?? '') < Date.now();
        return isDue && (await tries()) > before + 2;
      });
      expect(await campaign.reminders()).toEqual([]);
      await ask(sandboxUrl, 'DELETE /_sandbox/faults');
      await eventually('the reminder', async () => (await campaign.reminders()).length > 0);
      await campaign.decide({ decision: 'approve', by: 'u-2' });
      expect(await campaign.result()).toMatchObject({ status: 'completed' });
    };
    await withWorker(temporal, config, sandboxUrl, work, { wallClock: onAWednesday });
  }),
);

test.concurrent('a campaign that is cancelled while its reminder is due has nothing to remark on that', () =>
  withSandbox(INSTANT, async (sandboxUrl) => {
    const config = testConfig();
    const spec = await newCampaign(sandboxUrl, {
      scope: { organization: '1' },
      media: { cutout: cutout(sandboxUrl) },
      approval: { from: 'u-2', remind: '1s' },
    });
    const work = async (): Promise<void> => {
      const campaign = await startCampaign(temporal, config, spec);
      await eventually('the hours to be asked for', async () => {
        const { raw } = await campaign.handle.describe();
        return raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'workingHours');
      });
      const { remarks } = await campaign.status();
      await campaign.handle.cancel();
      await campaign.handle.result().catch(() => undefined);
      expect((await campaign.status()).remarks).toEqual(remarks);
    };
    const wallClock = (): number => {
      throw new Error('the clock has stopped');
    };
    await withWorker(temporal, config, sandboxUrl, work, { wallClock });
  }),
);

/** What a worker leaves undone when it goes would be done by the next one before the reminder is looked at. */
async function waitsForTimeAlone({ handle }: TestCampaign): Promise<boolean> {
  const { raw } = await handle.describe();
  return !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0;
}

/** A timer has fired, and nobody takes the task. */
async function isAwaitingWorker({ handle }: TestCampaign): Promise<boolean> {
  const events = (await handle.fetchHistory()).events ?? [];
  const decided = events.findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
  return events.slice(decided).some((event) => event.timerFiredEventAttributes);
}
