/** What an operator, or Temporal itself, can do to a submission that is on its way: it is not sent a second time. */
import { randomUUID } from 'node:crypto';
import { type WorkflowService } from '@temporalio/client';
import { type MediaJob } from '../../src/client/jobs/job';
import { eventually } from '../support/eventually';
import { useProcesses } from '../support/processes';
import { addFault, readLedger } from '../support/sandbox';
import { segueClient, testConfig, useTemporal } from '../support/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

/** The submit activity of a job, as the server's requests name it. */
function submitOf({ workflowId }: MediaJob) {
  return { namespace: 'default', execution: { workflowId }, type: 'submit', identity: 'a test' };
}

type Action = (service: WorkflowService, job: MediaJob) => Promise<unknown>;

const pause: Action = (service, job) => service.pauseActivity({ ...submitOf(job), reason: 'a test' });
const unpause =
  (resetAttempts: boolean): Action =>
  (service, job) =>
    service.unpauseActivity({ ...submitOf(job), resetAttempts, resetHeartbeat: true });
const reset: Action = (service, job) => service.resetActivity({ ...submitOf(job), resetHeartbeat: true });
const allowMoreAttempts: Action = (service, job) =>
  service.updateActivityOptions({
    ...submitOf(job),
    activityOptions: { retryPolicy: { maximumAttempts: 5 } },
    updateMask: { paths: ['retryPolicy.maximumAttempts'] },
  });
const nothing: Action = () => Promise.resolve();

describe('P1: a submission whose worker dies', () => {
  const cases: [string, Action, Action][] = [
    ['alone', nothing, nothing],
    ['paused, then unpaused', pause, unpause(false)],
    ['paused, then unpaused with its attempts reset', pause, unpause(true)],
    ['reset', reset, nothing],
    ['with more attempts allowed', allowMoreAttempts, nothing],
  ];
  test.each(cases)('%s is held, not sent again', async (_case, before, after) => {
    const sandboxUrl = await processes.sandbox('--pace', 'instant');
    // Accepted, and never answered: a second POST would be a second payment.
    await addFault(sandboxUrl, {
      operation: 'remove-background',
      match: { nth: 1 },
      fault: 'hang',
      when: 'after',
    });
    const config = testConfig({ submit: { timeout: '60s', authGrace: '1h' } });
    const doomed = await processes.worker(config.taskQueue, sandboxUrl);
    const job = await segueClient(temporal, config).media.start({
      key: `job-${randomUUID()}`,
      tool: 'remove-background',
      request: { image_url: `${sandboxUrl}/samples/mug.png` },
    });
    await eventually('the POST', async () => (await readLedger(sandboxUrl)).summary.submissions === 1);
    const service = temporal.client.workflowService;
    await before(service, job);
    await doomed.end('SIGKILL');
    await processes.worker(config.taskQueue, sandboxUrl);
    // As long as it is paused, the server does not notice that its worker is gone.
    await after(service, job);

    expect(await job.wait()).toMatchObject({ status: 'held' });
    const { entries, summary } = await readLedger(sandboxUrl);
    expect(summary).toMatchObject({ submissions: 1, duplicates: 0 });
    const taskId = entries.find(({ kind }) => kind === 'submit')?.taskId ?? '';
    await job.resolve({ action: 'adopt', taskId, by: 'a test', reason: 'the ledger has it' });
    expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});
