import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import {
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  RECORDING_MARGIN_MS,
  type SegueActivities,
  type SubmitAttempt,
  type SubmitOutcome,
} from '../../contract';
import { submitTaskQueue } from '../../contract/ids';
import { alarmOfDenial } from '../lib/alarm';
import { AT_MOST_ONCE } from '../lib/atMostOnce';
import { doubling } from '../lib/backoff';
import { continueWhenLong, senderOf } from './following';
import { hold } from './hold';
import { keepTask, type Run, startOver, tasksOf, unresolvedOf } from './progress';
import { nextNumber } from './question';
import { withoutOutcome } from './sending';
import { enterStage } from './visibility';

type Refusal = Extract<SubmitOutcome, { outcome: 'refused' }>;

const MOST_ATTEMPTS_SHOWN = 20;
/** A service that asks for more is asked again after this, since an hour may change its mind. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Submits the job, until its task id is known. It sends again only after a POST that provably was not accepted, or
 * because a person decided so.
 */
export async function submitOnce(run: Run): Promise<void> {
  const denial: { telling?: CancellationScope } = {};
  try {
    await submitUntilKnown(run, denial);
  } catch (error) {
    // An answer that came late is not followed any more, but the service has its task: the project is to know.
    if (isCancellation(error) || error instanceof ApplicationFailure)
      run.progress.taskId ??= lateTaskOf(run) ?? tasksOf(run)[0] ?? null;
    throw error;
  } finally {
    denial.telling?.cancel();
  }
}

async function submitUntilKnown(run: Run, denial: { telling?: CancellationScope }): Promise<void> {
  const { progress, settings } = run;
  const untilSent = doubling(1_000, 60_000);
  const untilAllowed = doubling(10_000, 300_000);

  let unresolved = unresolvedOf(run.input, progress);
  for (;;) {
    // It may have come while this run took over from another.
    if (!unresolved && followLate(run)) return;
    // Nothing more is submitted of a run that was asked to stop; what a batch sent is asked about all the same.
    if (!unresolved && run.scope.consideredCancelled) await run.scope.cancelRequested;
    const { attempt, outcome } = unresolved ? ofBatch(unresolved) : await trySubmit(run);
    unresolved = undefined;
    if (outcome.outcome === 'accepted') {
      follow(run, outcome.taskId);
      return;
    }
    run.lastError = outcome.reason;
    if (outcome.outcome === 'unknown') {
      const decision = await hold(run, { n: attempt.n, why: 'unknown', reason: outcome.reason });
      if (decision.action !== 'resubmit') {
        // Nobody needs to look for it any more.
        attempt.taskId ??= decision.taskId;
        follow(run, decision.taskId ?? '');
        return;
      }
      startOver(run);
      // A denial from now on is another one.
      denial.telling?.cancel();
      denial.telling = undefined;
      continue;
    }

    // Nothing is on its way now, and what a person took for lost was accepted after all.
    if (followLate(run)) return;

    const isDenial = outcome.outcome === 'refused' && (outcome.status === 401 || outcome.status === 403);
    if (!isDenial) progress.deniedSince = null;
    enterStage(run, 'waiting');
    if (isDenial) {
      // Keys get rotated; a job must not fail because it met the minutes in between.
      if (progress.deniedSince === null) {
        denial.telling ??= alarmOfDenial(run, { n: attempt.n, ...outcome }, settings.authGrace);
        progress.deniedSince = new Date().toISOString();
      }
      if (Date.now() - Date.parse(progress.deniedSince) >= settings.authGrace) throw refused(run, outcome);
      await waitToSubmit(run, untilAllowed.next(), 'until access may be granted again');
    } else if (outcome.outcome === 'notSent') {
      await waitToSubmit(run, untilSent.next(), 'until the service may be reached again');
    } else if (outcome.status === 429 || outcome.status === 425) {
      const asked = outcome.retryAfterMs ?? untilSent.next();
      await waitToSubmit(run, Math.min(Math.max(asked, 1_000), LONGEST_WAIT_MS), 'as the service asked');
    } else {
      throw refused(run, outcome);
    }
    await continueWhenLong(run);
  }
}

/** The task of a submission that was answered late: nobody knew it when the next one was ordered. */
function lateTaskOf(run: Run): string | undefined {
  return tasksOf(run).find((taskId) => !run.progress.knownTasks.includes(taskId));
}

function followLate(run: Run): boolean {
  const taskId = lateTaskOf(run);
  if (taskId !== undefined) follow(run, taskId);
  return taskId !== undefined;
}

/** Until it may be tried again, or an answer that comes late makes that needless. */
async function waitToSubmit(run: Run, ms: number, summary: string): Promise<void> {
  await condition(() => lateTaskOf(run) !== undefined, ms, { summary });
}

/** What a batch met before this run: it begins with the question. */
function ofBatch(attempt: SubmitAttempt): { attempt: SubmitAttempt; outcome: SubmitOutcome } {
  return {
    attempt,
    outcome: { outcome: 'unknown', reason: attempt.reason ?? 'its batch learned no outcome' },
  };
}

function follow(run: Run, taskId: string): void {
  const { progress } = run;
  run.lastError = null;
  progress.taskId = taskId;
  const attempt = progress.attempts.find((tried) => tried.taskId === taskId) ?? progress.attempts.at(-1);
  progress.submittedAt = attempt?.at ?? null;
  enterStage(run, 'polling');
}

async function trySubmit(run: Run): Promise<{ attempt: SubmitAttempt; outcome: SubmitOutcome }> {
  const { progress, input, settings } = run;
  const { taskQueue } = workflowInfo();
  const { submit } = proxyActivities<SegueActivities>({
    summary: `one POST for ${input.key}, never a second`,
    taskQueue: submitTaskQueue(taskQueue),
    startToCloseTimeout: settings.submitTimeout + RECORDING_MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: AT_MOST_ONCE,
  });
  enterStage(run, 'submitting');
  const attempt: SubmitAttempt = { n: nextNumber(run), at: new Date().toISOString(), outcome: 'pending' };
  progress.attempts.push(attempt);
  forgetOldest(progress.attempts);

  // A cancelled run waits for the outcome: a POST on its way cannot be called back.
  const outcome = await CancellationScope.nonCancellable(async (): Promise<SubmitOutcome> => {
    const { key, tool, request, scope } = input;
    const runId = run.orderedBy ?? senderOf(run);
    try {
      return await submit({ key, attempt: attempt.n, tool, request, scope, runId });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return withoutOutcome(run, attempt.n, error);
    }
  });
  attempt.outcome = outcome.outcome;
  if (outcome.outcome === 'accepted') {
    const told = attempt.taskId;
    attempt.taskId = outcome.taskId;
    // Of a submission with the same number, which a run made that was reset.
    if (told !== undefined) keepTask(run, told);
  } else attempt.reason = outcome.reason;
  return { attempt, outcome };
}

/** Only what surely was not accepted: of the others a task id may still come, or is known. */
function forgetOldest(attempts: SubmitAttempt[]): void {
  if (attempts.length <= MOST_ATTEMPTS_SHOWN) return;
  const oldest = attempts.findIndex(({ outcome }) => outcome === 'notSent' || outcome === 'refused');
  if (oldest >= 0) attempts.splice(oldest, 1);
}

function refused({ input }: Run, outcome: Refusal): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.refused,
    nonRetryable: true,
    message: `The service refused job ${input.key}: ${outcome.reason}`,
    details: [{ key: input.key, status: outcome.status ?? null, reason: outcome.reason }],
  });
}
