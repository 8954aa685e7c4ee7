/** Firings of schedules whose histories are committed, and what they started: it tells them its end. */
import { startSandbox } from '../support/service/sandbox';
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { FIRING_WORKFLOW, type FiringInput, type ScheduleTarget } from '../../src/contract';
import {
  batchWorkflowId,
  campaignWorkflowId,
  firedKey,
  firingWorkflowId,
  outlookWorkflowId,
} from '../../src/contract/ids';
import { cutouts } from '../support/builders/batch';
import { cutout, newCampaign, TestCampaign } from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { manifestOf } from '../support/builders/manifests';
import { startSmallService } from '../support/service/smallService';
import { segueClient, testConfig, withWorker } from '../support/servers/temporal';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';

const TIME = '2026-01-01T02:00:00Z';

interface Fired {
  firing: WorkflowHandle;
  campaign: TestCampaign;
  outlook: WorkflowHandle;
  batch: WorkflowHandle;
  /** Has the same time fire once more. */
  again: () => Promise<void>;
}

/** Fires once, for what `kind` names, and keeps the run that comes of what is done meanwhile. */
function firing(
  kind: ScheduleTarget['kind'],
  meanwhile: (fired: Fired) => Promise<WorkflowHandle>,
): Scenario {
  return async (temporal, keep) => {
    const sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const config = testConfig();
    const manifest = await startSmallService({
      'GET /m': { text: manifestOf(cutouts(sandbox.url, 2)) },
    });
    await withWorker(temporal, config, sandbox.url, async () => {
      const { schedules } = segueClient(temporal, config);
      const { project } = await newCampaign(sandbox.url);
      const targets = {
        outlook: { kind: 'outlook', spec: { project, boards: ['launch-board'] } },
        campaign: {
          kind: 'campaign',
          spec: {
            ...{ project, scope: { organization: '1' }, approval: { from: 'u-2' } },
            media: { mug: cutout(sandbox.url) },
          },
        },
        batch: { kind: 'batch', spec: { manifest: `${manifest.url}/m` } },
      } satisfies Record<typeof kind, ScheduleTarget>;
      const name = `recorded-${randomUUID()}`;
      await schedules.create(name, {
        spec: { cron: '0 2 * * *' },
        timezone: 'UTC',
        target: targets[kind],
      });
      const again = (): Promise<void> => schedules.backfill(name, TIME, TIME);
      await again();
      const handle = (workflowId: string): WorkflowHandle => temporal.client.workflow.getHandle(workflowId);
      const key = firedKey(name, TIME);
      const campaign = new TestCampaign(handle(campaignWorkflowId(key)));
      const fired = handle(`${firingWorkflowId(name)}-${TIME}`);
      const [outlook, batch] = [handle(outlookWorkflowId(key)), handle(batchWorkflowId(key))];
      await keep(await meanwhile({ firing: fired, campaign, outlook, batch, again }));
      await schedules.delete(name);
    });
    await manifest.stop();
    await sandbox.stop();
  };
}

/** A firing of the time that was there before; Temporal gives it another run of the same id. */
async function ended(fired: WorkflowHandle, isIt: (runId: string) => boolean = () => true): Promise<string> {
  return eventually('the end of the firing', async () => {
    const { status, runId } = await fired.describe();
    return status.name !== 'RUNNING' && isIt(runId) ? runId : undefined;
  });
}

async function approve({ campaign }: Fired): Promise<void> {
  await eventually('the question', async () => (await campaign.status()).approval !== null);
  await campaign.decide({ decision: 'approve', by: 'sam' });
  await campaign.result();
}

/** A report of an end that is not there yet makes it check, and that is enough here to continue as new. */
const askedOften = whereHistoriesAreShort(
  10,
  firing('campaign', async (fired) => {
    await eventually('the question', async () => (await fired.campaign.status()).approval !== null);
    const { runId } = await fired.firing.describe();
    await fired.firing.signal('jobNews', {
      workflowId: fired.campaign.handle.workflowId,
      stage: 'succeeded',
    });
    await eventually('another run', async () => (await fired.firing.describe()).runId !== runId);
    await approve(fired);
    await ended(fired.firing);
    return fired.firing;
  }),
);

export const firingScenarios: Record<string, Scenario> = {
  'firing-of-a-campaign': firing('campaign', async (fired) => {
    await approve(fired);
    await ended(fired.firing);
    return fired.firing;
  }),

  'firing-told-campaign': firing('campaign', async (fired) => {
    await approve(fired);
    return fired.campaign.handle;
  }),

  'firing-told-outlook': firing('outlook', async ({ firing: fired, outlook }) => {
    await ended(fired);
    return outlook;
  }),

  'firing-of-a-batch': firing('batch', async ({ firing: fired }) => {
    await ended(fired);
    return fired;
  }),

  'firing-told-batch': firing('batch', async ({ firing: fired, batch }) => {
    await ended(fired);
    return batch;
  }),

  'firing-found-its-run': firing('outlook', async ({ firing: fired, again }) => {
    const first = await ended(fired);
    await again();
    await ended(fired, (runId) => runId !== first);
    return fired;
  }),

  'firing-told-too-early': firing('campaign', async (fired) => {
    await eventually('the question', async () => (await fired.campaign.status()).approval !== null);
    await fired.firing.signal('jobNews', {
      workflowId: fired.campaign.handle.workflowId,
      stage: 'succeeded',
    });
    await eventually('the look', async () => {
      const { events } = await fired.firing.fetchHistory();
      return events?.some(
        ({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name === 'readFiredEnd',
      );
    });
    await approve(fired);
    await ended(fired.firing);
    return fired.firing;
  }),

  /** Somebody has taken its key for something else. */
  async 'firing-refused'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'instant' } });
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { project } = await newCampaign(sandbox.url);
      const name = `recorded-${randomUUID()}`;
      const boards = ['launch-board'];
      await segueClient(temporal, config).outlooks.run({ key: firedKey(name, TIME), project, boards });
      const input: FiringInput = {
        target: { kind: 'outlook', spec: { project, boards, weeks: 4 } },
        spec: { cron: '0 2 * * *' },
        timezone: 'UTC',
      };
      const fired = await temporal.client.workflow.start(FIRING_WORKFLOW, {
        workflowId: `${firingWorkflowId(name)}-${TIME}`,
        taskQueue: config.taskQueue,
        args: [input],
      });
      await ended(fired);
      await keep(fired);
    });
    await sandbox.stop();
  },

  'firing-cancelled': firing('campaign', async (fired) => {
    await eventually('the question', async () => (await fired.campaign.status()).approval !== null);
    await fired.firing.cancel();
    await ended(fired.firing);
    await approve(fired);
    return fired.firing;
  }),

  'firing-continued-as-new': askedOften,
  'firing-handing-over': handingOver(askedOften),
};
