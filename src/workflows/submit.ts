import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  type MediaInput,
  type MediaState,
  RECORDING_MARGIN_MS,
  type SegueActivities,
  type SubmitOutcome,
} from '../contract';
import { submitTaskQueue } from '../ids';
import { doubling } from './backoff';
import { type Settings } from './settings';

/** Submits the job and gives its task id. It sends again only after a POST that provably was not accepted. */
export async function submitOnce(input: MediaInput, settings: Settings, state: MediaState): Promise<string> {
  const untilSent = doubling(1_000, 60_000);
  const untilAllowed = doubling(10_000, 300_000);
  let deniedSince: number | undefined;

  for (let attempt = 1; ; attempt++) {
    const outcome = await trySubmit(input, settings, state, attempt);
    if (outcome.outcome === 'accepted') {
      state.stage = 'polling';
      state.taskId = outcome.taskId;
      state.lastError = null;
      return outcome.taskId;
    }
    state.lastError = outcome.reason;
    if (outcome.outcome === 'unknown') {
      await hold(state, attempt);
      continue;
    }
    state.stage = 'waiting';
    if (outcome.outcome === 'notSent') {
      await sleep(untilSent.next());
    } else if (outcome.status === 429 || outcome.status === 425) {
      await sleep(Math.max(outcome.retryAfterMs ?? untilSent.next(), 1_000));
    } else if (outcome.status === 401 || outcome.status === 403) {
      // Keys get rotated; a job must not fail because it met the minute in between.
      deniedSince ??= Date.now();
      if (Date.now() - deniedSince >= settings.authGrace) throw refused(input, state, outcome);
      await sleep(untilAllowed.next());
    } else {
      throw refused(input, state, outcome);
    }
  }
}

async function trySubmit(
  input: MediaInput,
  settings: Settings,
  state: MediaState,
  n: number,
): Promise<SubmitOutcome> {
  const { taskQueue, originalExecutionRunId } = workflowInfo();
  const { submit } = proxyActivities<SegueActivities>({
    taskQueue: submitTaskQueue(taskQueue),
    startToCloseTimeout: settings.submitTimeout + RECORDING_MARGIN_MS,
    // A paused activity whose worker died never reaches start-to-close. It includes the time in the queue.
    scheduleToCloseTimeout: '24h',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // A second attempt may be a second payment. The activity guards itself too: this limit can be changed from outside.
    retry: { maximumAttempts: 1 },
  });
  state.stage = 'submitting';
  const attempt: MediaState['attempts'][number] = { n, at: new Date().toISOString(), outcome: 'pending' };
  state.attempts.push(attempt);

  // A cancelled run waits for the outcome: a POST on its way cannot be called back.
  const outcome = await CancellationScope.nonCancellable(async (): Promise<SubmitOutcome> => {
    const { key, tool, request, scope } = input;
    try {
      return await submit({ key, attempt: n, tool, request, scope, runId: originalExecutionRunId });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return {
        outcome: 'unknown',
        reason: `the submission gave no outcome: ${error.cause?.message ?? error.message}`,
      };
    }
  });
  attempt.outcome = outcome.outcome;
  if (outcome.outcome !== 'accepted') attempt.reason = outcome.reason;
  return outcome;
}

/** The service may have accepted the job. Nobody but a person can tell, so the run stands here until it is cancelled. */
async function hold(state: MediaState, n: number): Promise<never> {
  state.stage = 'held';
  state.hold = `${workflowInfo().runId}/${n}`;
  await condition(() => false);
  throw ApplicationFailure.nonRetryable('a hold does not end by itself');
}

function refused(
  input: MediaInput,
  state: MediaState,
  outcome: Extract<SubmitOutcome, { outcome: 'refused' }>,
): ApplicationFailure {
  state.stage = 'failed';
  return ApplicationFailure.create({
    type: FAILURE.refused,
    nonRetryable: true,
    message: `The service refused job ${input.key}: ${outcome.reason}`,
    details: [{ key: input.key, status: outcome.status ?? null, reason: outcome.reason }],
  });
}
