import { Context, log, metricMeter } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type Api, type CallOptions, type OrganizationProblem } from '../api/client';
import {
  type BatchStage,
  type ChunkOutcome,
  type ChunkSubmission,
  HEARTBEAT_TIMEOUT_MS,
  type Scope,
  type SegueActivities,
  type SubmitOrder,
  type SubmitOutcome,
} from '../contract';
import { batchWorkflowId, submitRequestId } from '../contract/ids';
import { searchAttributes } from '../contract/searchAttributes';
import { type LateTask, signalLateAnswer, signalLateTasks } from './atMostOnce/lateAnswer';
import {
  type GuardOptions,
  NOT_ACTIVE,
  sendChunkOnce,
  sendOnce,
  type SendPermit,
} from './atMostOnce/sendOnce';
import { clientOf, completeExplicitly, retryTemporalCall } from './atMostOnce/server';
import { countSubmit } from './lib/metrics';
import { type Breaker } from './protection/breaker';
import { type AccessDenials, deniedScope } from './protection/denials';
import { type RateLimitPause } from './protection/rateLimitPause';

/** A read before the POST takes at most so long, and half of the time that is left. */
const LONGEST_READ_MS = 5_000;

type Submission = Omit<SubmitOrder, 'runId'>;

/** The POST of a job, for all activities that submit with one credential. */
export interface Post {
  /** Sends it, marked as `n`, unless the breaker holds it back or the service asked this worker to wait. */
  send: (submission: Submission, permit: SendPermit, n: number) => Promise<SubmitOutcome>;
  /** Called at once: where recording the outcome fails, the log still has the task id. */
  note: (submission: Submission, outcome: SubmitOutcome) => void;
}

const ACCESS_DENIED = 403;

/** Why nothing can be written for this scope, as far as that is known; null otherwise. */
export type WriteProblem = (
  scope: Scope | undefined,
  options: CallOptions,
) => Promise<OrganizationProblem | null>;

export function createPost(
  api: Api,
  breaker: Breaker,
  pause: RateLimitPause,
  denials: AccessDenials,
  writeProblem: WriteProblem,
): Post {
  return { send, note };

  function note({ key, attempt, tool, scope }: Submission, outcome: SubmitOutcome): void {
    log.info('submit', { key, submission: submitRequestId(key, attempt), ...outcome });
    countSubmit(metricMeter, tool, outcome);
    if (outcome.outcome === 'accepted') denials.reset(scope);
  }

  async function send(
    submission: Submission,
    { sendBefore, mark }: SendPermit,
    n: number,
  ): Promise<SubmitOutcome> {
    const { key, attempt, tool, request, scope, hasWrite } = submission;
    const left = (most: number): number => Math.max(1, Math.min(most, sendBefore - Date.now()));
    const reading = (): CallOptions => ({
      requestId: `${submitRequestId(key, attempt)}.read`,
      timeoutMs: left(Math.min(LONGEST_READ_MS, (sendBefore - Date.now()) / 2)),
    });
    // Checked before anything is paid for.
    const problem = hasWrite ? await writeProblem(scope, reading()) : null;
    if (problem) {
      const reason = `not sent, because its result could not be written: ${problem.reason}`;
      // Like denied access: tried again for the grace time, with an alert.
      return { outcome: 'refused', reason, ...(problem.isTemporary && { status: ACCESS_DENIED }) };
    }
    // The read has the submit's own scope, so that it meets what the submit would meet.
    const read = (): Promise<unknown> => api.getWorkspace({}, { ...reading(), scope });
    const submit = async (): Promise<SubmitOutcome> => {
      if (!(await mark(n))) return NOT_ACTIVE;
      const requestId = submitRequestId(key, attempt);
      return api.submit(tool, request, { requestId, scope, sendBefore, timeoutMs: left(Infinity) });
    };
    return pause.run(() => breaker.pass((status) => deniedScope(status, scope), read, submit));
  }
}

export function createSubmit(post: Post, guards: GuardOptions): SegueActivities['submit'] {
  return async ({ runId, ...submission }) => {
    const { key, attempt } = submission;
    const outcome = await sendOnce(runId, guards, (permit) => post.send(submission, permit, attempt));
    post.note(submission, outcome);
    if (outcome.outcome !== 'accepted') return outcome;
    return completeExplicitly(outcome, () => signalLateAnswer(key, attempt, outcome.taskId));
  };
}

export interface ChunkOptions extends GuardOptions {
  /** How many POSTs of one chunk this process sends. */
  mostInChunk?: number;
}

/** The POSTs of several jobs of a batch. Those over the limit are returned as not sent: none waits for a slot here. */
export function createSubmitChunk(
  post: Post,
  { mostInChunk: room = Infinity, ...guards }: ChunkOptions,
): SegueActivities['submitChunk'] {
  const reason = `not sent: this worker sends ${room} POSTs of a chunk at once`;
  return async ({ batch, chunk, submissions, runId }) => {
    const withoutSlot: Record<number, ChunkOutcome> = Object.fromEntries(
      submissions.slice(room).map(({ item }) => [item, { outcome: 'notSent', reason, room } as const]),
    );
    let stopped: ReturnType<typeof whyBatchStopped> | undefined;
    const outcomes = await sendChunkOnce<ChunkSubmission, ChunkOutcome>(
      submissions,
      runId,
      guards,
      async (submission, permit) => {
        // Asked once for the whole chunk, and only by an attempt that may send.
        const notSent = (await (stopped ??= whyBatchStopped(batch))) ?? withoutSlot[submission.item];
        if (notSent) return notSent;
        const outcome = await post.send(submission, permit, chunk);
        post.note(submission, outcome);
        return outcome;
      },
      withoutSlot,
    );
    const accepted = submissions.flatMap(({ key, item, attempt }, index): LateTask[] => {
      const outcome = outcomes[index];
      return outcome?.outcome === 'accepted' ? [{ key, item, attempt, taskId: outcome.taskId }] : [];
    });
    return accepted.length === 0 ? outcomes : completeExplicitly(outcomes, () => signalLateTasks(accepted));
  };
}

const STOPPED: readonly string[] = ['paused', 'cancelling', 'cancelled'] satisfies BatchStage[];

type NotSent = Extract<ChunkOutcome, { outcome: 'notSent' }>;

/**
 * Gives undefined while the batch is running, else why nothing of it is submitted now. A chunk may have waited in its
 * queue for minutes, and a person who paused the batch since then was promised that nothing more is submitted. The batch
 * does not cancel the waiting activity instead: an activity cancelled before it began may have had an attempt before.
 */
async function whyBatchStopped(batch: string): Promise<NotSent | undefined> {
  const client = clientOf(Context.current());
  if (!client) return undefined;
  const run = client.workflow.getHandle(batchWorkflowId(batch));
  try {
    const { status, typedSearchAttributes } = await retryTemporalCall(client, HEARTBEAT_TIMEOUT_MS / 2, () =>
      run.describe(),
    );
    const isRunning = status.name === 'RUNNING';
    const stage = isRunning ? typedSearchAttributes.get(searchAttributes.stage) : status.name.toLowerCase();
    if (stage === undefined || (isRunning && !STOPPED.includes(stage))) return undefined;
    return { outcome: 'notSent', reason: `the batch is ${stage}`, isUnwanted: true };
  } catch (error) {
    // The partition finds out by itself that its batch is gone.
    if (error instanceof WorkflowNotFoundError) return undefined;
    log.warn('not sent: cannot check whether the batch still runs', { error });
    return { outcome: 'notSent', reason: 'not sent: Temporal did not say whether the batch still runs' };
  }
}
