/** Submits a media job at most once. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  FAILURE,
  HEARTBEAT_TIMEOUT_MS,
  isAccessDenied,
  RECORDING_MARGIN_MS,
  type SegueActivities,
  sendingSignal,
  type SubmitAttempt,
  type SubmitOutcome,
} from '../../contract';
import { submitTaskQueue } from '../../contract/ids';
import { AT_MOST_ONCE, isRateLimited, newBackoff, senderOf, type NoOutcome } from '../lib/atMostOnce';
import { onSignal } from '../lib/listeners';
import { alarmOfDenial } from './alarm';
import { hold } from './hold';
import { type MediaJob } from './mediaJob';
import { setStage } from './visibility';

const MOST_ATTEMPTS_SHOWN = 20;
/** Upper limit for Retry-After. */
const LONGEST_WAIT_MS = 3_600_000;

/** Sends again only after a POST that provably was not accepted, or because a person decided so. */
export async function submitOnce(job: MediaJob): Promise<void> {
  const waits: Waits = { untilSent: newBackoff(), untilAllowed: newBackoff(10_000, 300_000) };
  try {
    await submitUntilKnown(job, waits);
  } catch (error) {
    // A late answer is not polled any more, but the project must know its task.
    if (isCancellation(error) || error instanceof ApplicationFailure)
      job.progress.taskId ??= lateTaskOf(job) ?? job.tasks()[0] ?? null;
    throw error;
  } finally {
    waits.denialAlarm?.cancel();
  }
}

interface Waits {
  untilSent: () => number;
  untilAllowed: () => number;
  /** The alarm that the service denies access, while it is being sent. */
  denialAlarm?: CancellationScope;
}

async function submitUntilKnown(job: MediaJob, waits: Waits): Promise<void> {
  let unresolved = job.unresolvedAttempt();
  for (;;) {
    // A late answer may have come during continue-as-new.
    if (!unresolved && adoptLateTask(job)) return;
    // A cancelled run submits nothing, but a POST of its batch is still held.
    if (!unresolved && job.scope.consideredCancelled) await job.scope.cancelRequested;
    const { attempt, outcome } = unresolved ? ofBatch(unresolved) : await trySubmit(job);
    unresolved = undefined;
    if (outcome.outcome === 'accepted') {
      pollFromNow(job, outcome.taskId);
      return;
    }
    job.lastError = outcome.reason;
    if (outcome.outcome === 'unknown') {
      const decision = await hold(job, { n: attempt.n, why: 'unknown', reason: outcome.reason });
      if (decision.action !== 'resubmit') {
        attempt.taskId ??= decision.taskId;
        pollFromNow(job, decision.taskId ?? '');
        return;
      }
      job.prepareResubmit();
      // A denial from now on is a new event.
      waits.denialAlarm?.cancel();
      waits.denialAlarm = undefined;
      continue;
    }
    // This POST was not accepted, so a late answer to an earlier one can be taken.
    if (adoptLateTask(job)) return;
    await waitToSubmit(job, attempt.n, outcome, waits);
    await job.continueWhenLong();
  }
}

/** Waits after a POST that was not accepted, or throws when another one would be refused, too. A late answer ends the wait. */
async function waitToSubmit(
  job: MediaJob,
  n: number,
  outcome: Exclude<SubmitOutcome, { outcome: 'accepted' | 'unknown' }>,
  waits: Waits,
): Promise<void> {
  const { progress, settings } = job;
  const wait = (ms: number, summary: string): Promise<unknown> =>
    condition(() => lateTaskOf(job) !== undefined, ms, { summary });
  const isDenial = outcome.outcome === 'refused' && isAccessDenied(outcome.status);
  if (!isDenial) progress.deniedSince = null;
  setStage(job, 'waiting');
  if (isDenial) {
    // Keys get rotated; a job must not fail in the minutes between.
    if (progress.deniedSince === null) {
      waits.denialAlarm ??= alarmOfDenial(job, { n, ...outcome }, settings.authGrace);
      progress.deniedSince = new Date().toISOString();
    }
    if (Date.now() - Date.parse(progress.deniedSince) >= settings.authGrace) throw refused(job, outcome);
    await wait(waits.untilAllowed(), 'until access may be granted again');
  } else if (outcome.outcome === 'notSent') {
    await wait(waits.untilSent(), 'until the service may be reached again');
  } else if (isRateLimited(outcome.status)) {
    const asked = outcome.retryAfterMs ?? waits.untilSent();
    await wait(Math.min(Math.max(asked, 1_000), LONGEST_WAIT_MS), 'as the service asked');
  } else {
    throw refused(job, outcome);
  }
}

/** A task that was not known when the last submission was ordered. */
function lateTaskOf(job: MediaJob): string | undefined {
  return job.tasks().find((taskId) => !job.progress.knownTasks.includes(taskId));
}

function adoptLateTask(job: MediaJob): boolean {
  const taskId = lateTaskOf(job);
  if (taskId !== undefined) pollFromNow(job, taskId);
  return taskId !== undefined;
}

/** The unknown outcome that the batch had before this job. */
function ofBatch(attempt: SubmitAttempt): { attempt: SubmitAttempt; outcome: SubmitOutcome } {
  return {
    attempt,
    outcome: { outcome: 'unknown', reason: attempt.reason ?? 'its batch learned no outcome' },
  };
}

function pollFromNow(job: MediaJob, taskId: string): void {
  const { progress } = job;
  job.lastError = null;
  progress.taskId = taskId;
  const attempt = progress.attempts.find((tried) => tried.taskId === taskId) ?? progress.attempts.at(-1);
  progress.submittedAt = attempt?.at ?? null;
  setStage(job, 'polling');
}

async function trySubmit(job: MediaJob): Promise<{ attempt: SubmitAttempt; outcome: SubmitOutcome }> {
  const { progress, input, settings } = job;
  const { taskQueue } = workflowInfo();
  const { submit } = proxyActivities<SegueActivities>({
    summary: `one POST for ${input.key}, never a second`,
    taskQueue: submitTaskQueue(taskQueue),
    startToCloseTimeout: settings.submitTimeout + RECORDING_MARGIN_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: AT_MOST_ONCE,
  });
  setStage(job, 'submitting');
  const attempt: SubmitAttempt = { n: job.nextNumber(), at: new Date().toISOString(), outcome: 'pending' };
  progress.attempts.push(attempt);
  forgetOldest(progress.attempts);

  // A cancelled run waits for the outcome: a POST cannot be undone.
  const outcome = await CancellationScope.nonCancellable(async (): Promise<SubmitOutcome> => {
    const { key, tool, request, scope } = input;
    const hasWrite = input.write ? true : undefined;
    const runId = job.orderedBy ?? senderOf(job);
    try {
      return await submit({ key, attempt: attempt.n, tool, request, scope, hasWrite, runId });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return withoutOutcome(job, attempt.n, error);
    }
  });
  attempt.outcome = outcome.outcome;
  if (outcome.outcome === 'accepted') {
    const before = attempt.taskId;
    attempt.taskId = outcome.taskId;
    // A submission before a reset may have had the same number.
    if (before !== undefined) job.addOtherTask(before);
  } else attempt.reason = outcome.reason;
  return { attempt, outcome };
}

/** Forgets only attempts that were not accepted: the others have a task id, or may still get one. */
function forgetOldest(attempts: SubmitAttempt[]): void {
  if (attempts.length <= MOST_ATTEMPTS_SHOWN) return;
  const oldest = attempts.findIndex(({ outcome }) => outcome === 'notSent' || outcome === 'refused');
  if (oldest >= 0) attempts.splice(oldest, 1);
}

function refused(
  job: MediaJob,
  { status, reason }: Extract<SubmitOutcome, { outcome: 'refused' }>,
): ApplicationFailure {
  const who = status === undefined ? 'The worker' : 'The service';
  const message = `${who} refused job ${job.input.key}: ${reason}`;
  return job.failure(FAILURE.refused, message, { status: status ?? null, reason });
}

type Submitter = Pick<MediaJob, 'sending'>;

export function handleSending(job: Submitter): void {
  const description = 'Reports, as the last step before the request, that a submit is being sent: { n }.';
  onSignal(sendingSignal, description, ({ n }) => {
    job.sending.add(n);
  });
}

/** A submit that timed out before its worker signalled that it was about to send was not sent, and may be tried again. */
export function withoutOutcome(job: Submitter, n: number, { cause, message }: ActivityFailure): NoOutcome {
  const isUnsent = cause instanceof TimeoutFailure && !job.sending.has(n);
  return {
    outcome: isUnsent ? 'notSent' : 'unknown',
    reason: `the submit activity ended without an outcome: ${cause?.message ?? message}`,
  };
}
