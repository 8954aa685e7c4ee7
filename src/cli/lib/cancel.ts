import { submitRequestId } from '../../contract/ids';
import { type Job, type JobState } from '../../client/jobs/job';
import { type JobReport } from '../../client/report';
import { type Run } from '../../client/run';
import { word } from './commandLine';
import { EXIT, type ExitCode } from './exit';
import { print, printJson, say } from './print';

/** Asks the run to stop, and says what that does not stop. */
export function cancelJob(
  job: Job,
  flags: { json?: boolean },
  goesOn: (report: JobReport, state: JobState | undefined) => string = whatGoesOn,
): Promise<ExitCode> {
  return cancelRun(job, flags, goesOn);
}

/** The same for any run. */
export async function cancelRun<State>(
  job: Run<State>,
  { json }: { json?: boolean },
  goesOn: (report: JobReport, state: State | undefined) => string,
): Promise<ExitCode> {
  const before = await job.report();
  const isOver = !['running', 'held'].includes(before.status);
  const asked = !isOver && (await ask(job));
  const report = isOver || asked ? before : await job.report();
  const { status, workflowId } = report;
  if (json) printJson(report);
  if (!asked) {
    say(`${workflowId} is over already: ${status}. Nothing was cancelled.`);
    return status === 'cancelled' ? EXIT.done : EXIT.failed;
  }
  if (!json) print(`${workflowId} was asked to stop`);
  say(goesOn(report, await job.state()));
  return EXIT.done;
}

/** What stopping a media job does not stop. */
function whatGoesOn({ status, taskId, key }: JobReport, state: JobState | undefined): string {
  if (taskId) return `The service goes on with task ${taskId}. Its result: segue get task ${word(taskId)}`;
  if (state?.stage === 'held' && state.hold && !state.hold.actions.includes('resubmit'))
    return `It waits for a decision, since the service may have accepted it: segue resolve ${word(key)} --adopt TASK_ID | --abandon`;
  if (status !== 'held') {
    return 'What is being submitted is waited for: if the service takes it, it goes on with it.';
  }
  const sent = state?.attempts?.at(-1);
  const name = sent ? ` (X-Request-Id ${submitRequestId(key, sent.n)})` : '';
  return `The service may have accepted the job all the same${name}, and nobody follows it any more.`;
}

/** Whether it was still there to be asked. */
async function ask(job: Run): Promise<boolean> {
  try {
    await job.cancel();
    return true;
  } catch (error) {
    const { WorkflowNotFoundError } = await import('@temporalio/client');
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
