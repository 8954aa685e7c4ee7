/** The pause before a poll is the server's: what it keeps, what an operator sees of it, and can do to it. */
import { randomUUID } from 'node:crypto';
import { tsToMs } from '@temporalio/common/lib/time';
import { type MediaJob } from '../../../src/client/jobs/job';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { readLedger } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

/** The poll of a job, as the server's requests name it. */
function pollOf({ workflowId }: MediaJob) {
  return { namespace: 'default', execution: { workflowId }, type: 'getTask', identity: 'a test' };
}

/** The pause before the next poll, as the server keeps it. */
function pauseOf(job: MediaJob) {
  return eventually('the pause', async () => {
    const { raw } = await temporal.client.workflow.getHandle(job.workflowId).describe();
    const [poll] = raw.pendingActivities ?? [];
    return poll?.activityType?.name === 'getTask' && poll.lastFailure ? poll : undefined;
  });
}

async function polls(sandboxUrl: string): Promise<number> {
  const { entries } = await readLedger(sandboxUrl);
  return entries.filter(({ operation }) => operation === 'get-task').length;
}

test('P2: the server keeps a pause as long as it is, in words that alarm nobody, until somebody cuts it short', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=2');
  // Longer than any interval that a retry policy has of itself.
  const config = testConfig({ poll: { min: '10m', max: '10m', deadline: '1h', giveUp: '7d' } });
  const worker = await processes.worker(config.taskQueue, sandboxUrl);
  const service = temporal.client.workflowService;
  const job = await segueClient(temporal, config).media.start({
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
  });

  const pause = await pauseOf(job);
  const { nextAttemptScheduleTime: dueAt, lastAttemptCompleteTime: since } = pause;
  // In minutes: the server looks at its clock twice.
  expect(Math.round((tsToMs(dueAt) - tsToMs(since)) / 60_000)).toBe(10);
  expect(pause.lastFailure).toMatchObject({
    message: 'Nothing is wrong: the service is asked after a pause of 10m',
    stackTrace: '',
  });

  await service.resetActivity(pollOf(job));
  await eventually('the pause, anew', async () => {
    const { lastAttemptCompleteTime } = await pauseOf(job);
    return tsToMs(lastAttemptCompleteTime) > tsToMs(pause.lastAttemptCompleteTime);
  });
  expect(await polls(sandboxUrl)).toBe(0);

  await service.pauseActivity({ ...pollOf(job), reason: 'a test' });
  await service.unpauseActivity(pollOf(job));
  await eventually('the poll', async () => (await job.state())?.polls === 1);
  expect((await job.state())?.lastError).toBeNull();

  await pauseOf(job);
  await job.pollNow();
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  expect(await polls(sandboxUrl)).toBe(2);
  const { stderr } = await worker.end('SIGTERM');
  const alarming = stderr
    .split('\n')
    .filter((line) => /"level":[456]0/.test(line) && line.includes('getTask'));
  expect(alarming).toEqual([]);
});
