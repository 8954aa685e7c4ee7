/** What happens when a job is over: its project gets the result, then its user is notified. */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  isCancellation,
  log,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ChangeOutcome,
  type DeliveredResult,
  FAILURE,
  type NotificationStatus,
  stateQuery,
} from '../../contract';
import { adviceOnUnsaved } from '../../contract/advice';
import { changeIdOf } from '../../contract/ids';
import { handleListeners } from '../lib/listeners';
import { endMessage, type Message, notifyUser } from '../lib/notify';
import { closeHold, handleDecisions } from './hold';
import { extraOf, type Job } from './job';
import { handlePollNow } from './poll';
import { setStage, showDelay, showStart } from './visibility';
import { writeToProject } from './write';

/** The result of a job that succeeded, and the value for its project. */
export interface Success<Result extends object> {
  result: Result;
  value: object;
}

interface Failure {
  failure: { type: string; message: string; details: unknown[] };
  value: object;
}

type End<Result extends object> = Success<Result> | Failure;

/** Does the work of a job. A cancelled job writes what it leaves behind; all handlers and reports end before the run. */
export async function runJob<T>(job: Job, work: () => Promise<T>): Promise<T> {
  setHandler(defineQuery<object>(stateQuery.name), () => job.describe(), {
    description: 'What this run is doing: stage, hold, polls, what the service said last.',
  });
  handleDecisions(job);
  handlePollNow(job);
  handleListeners(job);
  showStart(job);
  try {
    return await work();
  } catch (error) {
    // A decision that comes now is answered with "not held".
    closeHold(job);
    if (isCancellation(error)) await recordCancelled(job);
    throw error;
  } finally {
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      // A signal that is still being sent when a run ends is lost.
      await condition(() => job.reports === 0);
    });
  }
}

/** Runs `work` to its success or failure. */
export async function endOf<Result extends object>(
  job: Job,
  work: () => Promise<Success<Result>>,
): Promise<End<Result>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    closeHold(job);
    const { type, message, details } = error;
    const failure = { type: type ?? '', message, details: details ?? [] };
    return { failure, value: failureValue(job, failure) };
  }
}

function failureValue(job: Job, failure: Failure['failure']): object {
  const [facts] = failure.details as [{ errors?: unknown }?];
  return {
    key: job.input.key,
    ...job.facts(),
    status: statusOf(failure),
    error: failure.message,
    ...(facts?.errors === undefined ? {} : { errors: facts.errors }),
    finishedAt: new Date().toISOString(),
  };
}

/** Has the project's writer write the result or the failure; null when nothing is to be written. */
export function writeEnd(job: Job, end: End<object>): Promise<ChangeOutcome | null> {
  return 'failure' in end
    ? write(job, failurePointer(job), 'failed', end.value)
    : write(job, job.input.write?.at, 'result', end.value);
}

export async function notifyEnd(
  job: Job,
  end: End<object>,
  written: ChangeOutcome | null,
): Promise<NotificationStatus | null> {
  const message = endNotice(job, end, written);
  const event = message.event === 'completed' ? 'completed' : 'failed';
  const { notify } = job.input;
  if (!notify || !(notify.on?.includes(event) ?? true)) return null;
  setStage(job, 'notifying');
  const onDelay = (): void => {
    showDelay(job);
  };
  return CancellationScope.nonCancellable(() => notifyUser(job, notify, message, { onDelay }));
}

/** Gives the result of the run, or throws its failure. A job whose result the project refuses is unsaved. */
export function resultOf<Result extends object>(
  job: Job,
  end: End<Result>,
  written: ChangeOutcome | null = null,
): Result & Pick<DeliveredResult, 'status'> {
  if ('failure' in end) {
    setStage(job, statusOf(end.failure));
    throw ApplicationFailure.create({ ...end.failure, nonRetryable: true });
  }
  const status = written?.ok === false ? 'unsaved' : 'succeeded';
  setStage(job, status);
  return { ...end.result, status };
}

function statusOf({ type }: Failure['failure']): 'abandoned' | 'failed' {
  return type === FAILURE.abandoned ? 'abandoned' : 'failed';
}

/** The run is cancelled, but the service continues: the project gets the task id, or the submission without a known one. */
async function recordCancelled(job: Job): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    let written: number;
    do {
      written = job.tasks().length;
      const left = leftBy(job);
      if (left !== null) await writeLeft(job, left);
      // A late answer may have brought another task during the write.
    } while (job.tasks().length > written);
    setStage(job, 'cancelled');
  });
}

/** What the service may still work on; null when there is nothing. */
function leftBy(job: Job): object | null {
  const [taskId, ...otherTasks] = job.tasks();
  const unknown = job.unknownSubmit();
  if (job.id === null && taskId === undefined && unknown === null) return null;
  return {
    ...{ key: job.input.key, ...unknown, ...job.facts() },
    ...(taskId === undefined ? {} : { taskId }),
    ...(otherTasks.length === 0 ? {} : { otherTasks }),
  };
}

async function writeLeft(job: Job, left: object): Promise<void> {
  const value = { ...left, status: 'cancelled', finishedAt: new Date().toISOString() };
  job.writes.leave();
  const written = await write(job, failurePointer(job), 'cancelled', value);
  if (written && !written.ok)
    log.warn('the project does not know what the service still works on', { ...left, ...written });
}

/** Not cancelled with the run: the project must know the paid work. Null where there is no outcome. */
async function write(
  job: Job,
  at: string | undefined,
  purpose: 'result' | 'failed' | 'cancelled',
  value: object,
): Promise<ChangeOutcome | null> {
  const { scope, write: target } = job.input;
  if (!target || at === undefined) return null;
  setStage(job, 'writing');
  // Random, because after a reset the job may end in another way, or the project may take the result then.
  const changeId = changeIdOf(workflowInfo().workflowId, `${purpose}-${uuid4().slice(0, 8)}`);
  const order = {
    ...{ project: target.project, scope, change: { steps: [{ at, set: value }] }, changeId },
    onDelay: (): void => {
      showDelay(job);
    },
  };
  const outcome = await CancellationScope.nonCancellable(() => writeToProject(job.writes, order));
  return outcome ?? null;
}

/** Null counts as absent: other languages write it for what they leave out. */
function failurePointer({ input: { write: target } }: Job): string | undefined {
  return target?.failedAt ?? target?.at;
}

function endNotice(job: Job, end: End<object>, written: ChangeOutcome | null): Message {
  const { tool, noun, kind, id, input } = job;
  const { key, write: target } = input;
  return endMessage({
    ...{ tool, noun, key, label: `${kind} \`${id ?? ''}\`` },
    error: 'failure' in end ? end.failure.message : undefined,
    unsaved: written?.ok === false ? adviceOnUnsaved(workflowInfo().workflowId, written.error) : undefined,
    where: target
      ? `It is in ${target.project.resourcetype} ${target.project.id} at ${target.at}.`
      : undefined,
    extra: extraOf(job),
  });
}
