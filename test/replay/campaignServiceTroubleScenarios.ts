/** Campaigns whose histories are committed: the service cannot be read, denies access, or does not take what it is told. */
import { type WorkflowHandle } from '@temporalio/client';
import { pauseUpdate, resumeUpdate } from '../../src/contract';
import { cutout } from '../support/builders/campaign';
import { eventually } from '../support/eventually';
import { addFault, answering } from '../support/service/sandbox';
import { approved, BY_SAM, conducting, decide, mend, NOTIFY } from './recordCampaign';
import { type Scenario } from './scenario';

/** Whether everything that it asked for is there: what activities read, and what the project's writer answers. */
async function hasNothingToDo(handle: WorkflowHandle): Promise<boolean> {
  const { raw } = await handle.describe();
  const { events = [] } = await handle.fetchHistory();
  const asked = events?.filter(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === 'requestChanges',
  );
  const answers = events?.filter((event) => event.workflowExecutionSignaledEventAttributes);
  const isBusy = Boolean(raw.pendingWorkflowTask) || (raw.pendingActivities ?? []).length > 0;
  return !isBusy && asked?.length !== 0 && asked?.length === answers?.length;
}

export const campaignServiceTroubleScenarios: Record<string, Scenario> = {
  'campaign-unreadable-while-preparing': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-board'));
      return {
        require: { boards: ['launch-board'] },
        research: { boards: ['launch-board'] },
        media: { cutout: cutout(url) },
      };
    },
    async (campaign, url) => {
      await eventually('the trouble', async () => {
        const { raw } = await campaign.handle.describe();
        return (raw.pendingActivities ?? []).some(
          ({ activityType, attempt }) => activityType?.name === 'prepareCampaign' && Number(attempt) > 1,
        );
      });
      await mend(url);
    },
  ),

  'campaign-paused-while-preparing': conducting(
    async (url) => {
      await addFault(url, answering(503, 'get-workspace'));
      return { research: { boards: ['launch-board'] }, media: { cutout: cutout(url) } };
    },
    async ({ handle }, url) => {
      await handle.executeUpdate(pauseUpdate, BY_SAM);
      await mend(url);
      await eventually('what was found', () => hasNothingToDo(handle));
      await handle.executeUpdate(resumeUpdate, BY_SAM);
    },
  ),

  'campaign-service-denied': conducting(
    async (url) => {
      await addFault(url, answering(401, 'get-board'));
      return { require: { boards: ['launch-board'] }, notify: NOTIFY, media: { cutout: cutout(url) } };
    },
    undefined,
    { config: { submit: { timeout: '5s', authGrace: '1s' } } },
  ),

  'campaign-stage-told-later': conducting(async (url) => {
    await addFault(url, { ...answering(429, 'notify'), match: { nth: 1 } });
    return approved(url);
  }, decide('approve')),

  'campaign-results-refused': conducting(approved, async (campaign, url) => {
    await campaign.untilStage('approving');
    await eventually('the question in the project', async () => (await campaign.status()).unsaved === null);
    await addFault(url, answering(422, 'update-project'));
    await campaign.decide({ decision: 'approve', by: 'sam' });
  }),
};
