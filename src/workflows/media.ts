import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { FAILURE, type MediaInput, type MediaResult, stateQuery } from '../contract';
import { pollUntilDone } from './poll';
import { describeRun, startRun } from './progress';
import { readSettings } from './settings';
import { refuseUnsafeStart } from './start';
import { submitOnce } from './submit';

/** One media job: submit it once, poll its task until the service says it is over, and give its result. */
export async function media(input: MediaInput): Promise<MediaResult> {
  const settings = readSettings(input);
  refuseUnsafeStart(input.key);

  const run = startRun(input);
  setHandler(stateQuery, () => describeRun(run), {
    description: 'What this job is doing: stage, task, attempts, polls.',
  });

  const taskId = run.progress.taskId ?? (await submitOnce(run, settings));
  const task = await pollUntilDone(run, settings, taskId);

  if (task.status === 'FAILURE') {
    run.stage = 'failed';
    throw ApplicationFailure.create({
      type: FAILURE.taskFailed,
      nonRetryable: true,
      message: `The service ended task ${taskId} of job ${input.key} as FAILURE`,
      details: [{ key: input.key, taskId, errors: task.info ?? null }],
    });
  }
  run.stage = 'succeeded';
  return {
    key: input.key,
    status: 'succeeded',
    taskId,
    info: task.info ?? null,
    polls: run.progress.polls,
    submittedAt: run.progress.submittedAt,
    finishedAt: new Date().toISOString(),
  };
}
