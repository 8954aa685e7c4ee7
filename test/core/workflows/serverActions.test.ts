/** What an operator, or Temporal itself, can do to a submission that is on its way: it is not sent a second time. */
import { randomUUID } from 'node:crypto';
import { type WorkflowService } from '@temporalio/client';
import { type MediaJob } from '../../../src/client/jobs/job';
import { eventually } from '../../support/eventually';
import { tasksOf } from '../../support/builders/jobs';
import { useProcesses } from '../../support/servers/processes';
import { addFault, readLedger } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

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

/** What is done to the submission before its worker dies, and after there is another worker. */
const cases: Record<string, [Action, Action]> = {
  nothing: [nothing, nothing],
  'pausing, then unpausing': [pause, unpause(false)],
  'pausing, then unpausing with its attempts reset': [pause, unpause(true)],
  'a reset': [reset, nothing],
  'allowing more attempts': [allowMoreAttempts, nothing],
};

// All at once: most of it is waiting until the server notices that a worker is gone.
test('P1: a submission whose worker dies is held and not sent again, whatever is done to it', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'instant');
  const config = testConfig({ submit: { timeout: '60s', authGrace: '1h' } });
  const doomed = await processes.worker(config.taskQueue, sandboxUrl);
  const service = temporal.client.workflowService;

  /** A job whose POST is accepted, and never answered: a second POST would be a second payment. */
  const startHanging = async (): Promise<{ job: MediaJob; taskId: string }> => {
    const key = `job-${randomUUID()}`;
    await addFault(sandboxUrl, {
      operation: 'remove-background',
      match: { requestId: `${key}.submit.1` },
      ...{ fault: 'hang', when: 'after' },
    });
    const job = await segueClient(temporal, config).media.start({
      key,
      tool: 'remove-background',
      request: { image_url: `${sandboxUrl}/samples/mug.png` },
    });
    return {
      job,
      taskId: await eventually('the POST', async () => (await tasksOf(sandboxUrl, key)).at(0)),
    };
  };

  let sent = 0;
  const submissions = await Promise.all(
    Object.entries(cases).map(async ([done, [before, after]]) =>
      // After 10 s without a heartbeat (a starved worker) the server times the submit out: start another job.
      eventually('an action on a pending submit', async () => {
        const { job, taskId } = await startHanging();
        sent += 1;
        await before(service, job);
        return { done, job, taskId, after };
      }),
    ),
  );
  await doomed.end('SIGKILL');
  await processes.worker(config.taskQueue, sandboxUrl);

  const ends = await Promise.all(
    submissions.map(async ({ done, job, taskId, after }) => {
      // As long as it is paused, the server does not notice that its worker is gone.
      await after(service, job);
      const { status: first } = await job.wait();
      const { submissions: posted } = (await readLedger(sandboxUrl)).summary;
      await job.resolve({ action: 'adopt', taskId, by: 'a test', reason: 'the ledger has it' });
      const { status: last, taskId: followed } = await job.wait();
      return [done, { first, posted, last, isItsOwn: followed === taskId }];
    }),
  );

  const expected = { first: 'held', posted: sent, last: 'succeeded', isItsOwn: true };
  expect(Object.fromEntries(ends)).toEqual(
    Object.fromEntries(Object.keys(cases).map((done) => [done, expected])),
  );
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: sent, duplicates: 0 });
});
