import { WorkflowNotFoundError } from '@temporalio/client';
import { submitRequestId } from '../ids';
import { type MediaJob } from '../job';
import { word } from './commandLine';
import { EXIT, type ExitCode } from './exit';
import { print, printJson, say } from './print';

/** Asks the run to stop, and says what that does not stop. */
export async function cancelJob(job: MediaJob, { json }: { json?: boolean }): Promise<ExitCode> {
  const before = await job.report();
  const isOver = !['running', 'held'].includes(before.status);
  const asked = !isOver && (await ask(job));
  const report = isOver || asked ? before : await job.report();
  const { status, taskId, workflowId } = report;
  if (json) printJson(report);
  if (!asked) {
    say(`${workflowId} is over already: ${status}. Nothing was cancelled.`);
    return status === 'cancelled' ? EXIT.done : EXIT.failed;
  }
  if (!json) print(`${workflowId} was asked to stop`);
  if (taskId) {
    say(`The service goes on with task ${taskId}. Its result: segue get task ${word(taskId)}`);
  } else if (status === 'held') {
    const sent = (await job.state())?.attempts.at(-1);
    const name = sent ? ` (X-Request-Id ${submitRequestId(job.key, sent.n)})` : '';
    say(`The service may have accepted the job all the same${name}, and nobody follows it any more.`);
  } else {
    say('What is being submitted is waited for: if the service takes it, it goes on with it.');
  }
  return EXIT.done;
}

/** Whether it was still there to be asked. */
async function ask(job: MediaJob): Promise<boolean> {
  try {
    await job.cancel();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
