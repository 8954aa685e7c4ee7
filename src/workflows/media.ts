import { ApplicationFailure, CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import { FAILURE, type MediaInput, type MediaResult, stateQuery } from '../contract';
import { handleDecisions } from './decisions';
import { fail, recordCancelled, succeed } from './ending';
import { handlePollNow, pollUntilDone } from './poll';
import { describeRun, type Run, startRun } from './progress';
import { readSettings } from './settings';
import { showStart } from './show';
import { refuseUnsafeStart } from './start';
import { submitOnce } from './submit';

/** One media job: submit it once, poll its task until the service says it is over, keep its result and tell its user. */
export async function media(input: MediaInput): Promise<MediaResult> {
  const settings = readSettings(input);
  refuseUnsafeStart(input.key);

  const run = startRun(input, settings, CancellationScope.current());
  setHandler(stateQuery, () => describeRun(run), {
    description: 'What this job is doing: stage, hold, task, attempts, polls.',
  });
  handleDecisions(run);
  handlePollNow(run);
  showStart(run);

  try {
    return await runJob(run);
  } catch (error) {
    if (isCancellation(error)) await recordCancelled(run);
    else if (error instanceof ApplicationFailure) await fail(run, error);
    throw error;
  }
}

async function runJob(run: Run): Promise<MediaResult> {
  for (;;) {
    if (run.progress.taskId === null) await submitOnce(run);
    const end = await pollUntilDone(run);
    if (end?.status === 'FAILURE') throw taskFailed(run, end.info ?? null);
    if (end) return succeed(run, end.info ?? null);
    // The service lost the task, and a person decided to submit again.
  }
}

function taskFailed({ input, progress }: Run, errors: unknown): ApplicationFailure {
  const taskId = progress.taskId;
  return ApplicationFailure.create({
    type: FAILURE.taskFailed,
    nonRetryable: true,
    message: `The service ended task ${taskId ?? ''} of job ${input.key} as FAILURE`,
    details: [{ key: input.key, taskId, errors }],
  });
}
