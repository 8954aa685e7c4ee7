/** Jobs that take longer than one history lasts: the run that hands over, and the one that goes on. */
import { startSandbox } from '../support/service/sandbox';
import { type SegueClient } from '../../src/client';
import { type Job } from '../../src/client/jobs/job';
import { seedRecord, seedTranscription } from '../support/service/records';
import { testConfig } from '../support/servers/temporal';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';
import { mediaJob, runRecord } from './scenarios';

const EVENTS = 40;
/** More than fit into so many events. */
const POLLS = 12;

const media = whereHistoriesAreShort(EVENTS, async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: POLLS } });
  const start = (segue: SegueClient): Promise<Job> => segue.media.start(mediaJob(sandbox.url));
  await runRecord(temporal, testConfig(), sandbox.url, start, keep, (stage) => stage === 'succeeded');
  await sandbox.stop();
});

/** Its question is open when it hands over, and is answered in the next run. */
const overdueTranscript = whereHistoriesAreShort(EVENTS, async (temporal, keep) => {
  const sandbox = await startSandbox();
  const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
  const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '7d' } });
  const start = (segue: SegueClient): Promise<Job> => segue.transcripts.start({ transcriptionId });
  let asking: string | undefined;
  await runRecord(temporal, config, sandbox.url, start, keep, async (stage, job) => {
    if (stage !== 'overdue') return stage === 'abandoned';
    const { runId } = await temporal.client.workflow.getHandle(job.workflowId).describe();
    asking ??= runId;
    // Its pace is slow now; polling at once fills the history.
    if (runId === asking) await job.pollNow();
    else await job.resolve({ action: 'abandon', by: 'sam', reason: 'not needed' });
    return false;
  });
  await sandbox.stop();
});

const record = whereHistoriesAreShort(EVENTS, async (temporal, keep) => {
  const sandbox = await startSandbox();
  const statuses = [...Array.from({ length: POLLS }, () => 1), 4];
  const id = await seedRecord(sandbox.url, 'asset', statuses);
  const start = (segue: SegueClient): Promise<Job> => segue.records.start({ kind: 'asset', id });
  await runRecord(temporal, testConfig(), sandbox.url, start, keep, (stage) => stage === 'succeeded');
  await sandbox.stop();
});

export const longRunScenarios: Record<string, Scenario> = {
  'media-continued-as-new': media,
  'media-handing-over': handingOver(media),
  'transcript-overdue-continued-as-new': overdueTranscript,
  'transcript-overdue-handing-over': handingOver(overdueTranscript),
  'record-continued-as-new': record,
  'record-handing-over': handingOver(record),
};
