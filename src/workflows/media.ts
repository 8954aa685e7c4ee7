import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import { FAILURE, type MediaInput, type MediaResult, type MediaState, stateQuery } from '../contract';
import { pollUntilDone } from './poll';
import { readSettings } from './settings';
import { refuseUnsafeStart } from './start';
import { submitOnce } from './submit';

/** One media job: submit it once, poll its task until the service says it is over, and give its result. */
export async function media(input: MediaInput): Promise<MediaResult> {
  const settings = readSettings(input);
  refuseUnsafeStart(input.key);

  const state: MediaState = {
    key: input.key,
    tool: input.tool,
    stage: input.taskId === undefined ? 'submitting' : 'polling',
    hold: null,
    taskId: input.taskId ?? null,
    attempts: [],
    polls: 0,
    nextPollAt: null,
    lastError: null,
  };
  setHandler(stateQuery, () => state, {
    description: 'What this job is doing: stage, task, attempts, polls.',
  });

  const taskId = input.taskId ?? (await submitOnce(input, settings, state));
  const task = await pollUntilDone(input, settings, state, taskId);

  if (task.status === 'FAILURE') {
    state.stage = 'failed';
    throw ApplicationFailure.create({
      type: FAILURE.taskFailed,
      nonRetryable: true,
      message: `The service ended task ${taskId} of job ${input.key} as FAILURE`,
      details: [{ key: input.key, taskId, errors: task.info ?? null }],
    });
  }
  state.stage = 'succeeded';
  return {
    key: input.key,
    status: 'succeeded',
    taskId,
    info: task.info ?? null,
    polls: state.polls,
    submittedAt: state.attempts.at(-1)?.at ?? null,
    finishedAt: new Date().toISOString(),
  };
}
