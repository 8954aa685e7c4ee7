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
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ChangeOutcome,
  type DeliveredResult,
  FAILURE,
  type NoticeOutcome,
  type NotifyEvent,
  type RunEnd,
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

interface End<Result extends object> extends RunEnd {
  result?: Result;
}

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

/** Runs `work` to its success or failure, once: a run that continues as new after that has the end in its state. */
export async function endOf<Result extends object>(
  job: Job,
  work: () => Promise<Success<Result>>,
): Promise<End<Result>> {
  const { progress } = job;
  progress.end ??= await settle(job, work);
  return progress.end as End<Result>;
}

async function settle(job: Job, work: () => Promise<Success<object>>): Promise<RunEnd> {
  try {
    return { ...(await work()), changeId: newChangeId('result'), asked: {} };
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    closeHold(job);
    const { type, message, details } = error;
    const failure = { type: type ?? '', message, details: details ?? [] };
    return { failure, value: failureValue(job, failure), changeId: newChangeId('failed'), asked: {} };
  }
}

function failureValue(job: Job, failure: NonNullable<RunEnd['failure']>): object {
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
export async function writeEnd(job: Job, end: RunEnd): Promise<ChangeOutcome | null> {
  if (end.written === undefined) {
    const at = end.failure ? failurePointer(job) : job.input.write?.at;
    end.written = await write(job, at, end);
  }
  return end.written;
}

export async function notifyEnd(
  job: Job,
  end: RunEnd,
  written: ChangeOutcome | null,
): Promise<NoticeOutcome | null> {
  const [event, message] = endNotice(job, end, written);
  const { notify } = job.input;
  if (!notify || !(notify.on?.includes(event) ?? true)) return null;
  setStage(job, 'notifying');
  end.tellingSince ??= new Date().toISOString();
  const retries = {
    begun: Date.parse(end.tellingSince),
    rest: async (ms: number): Promise<void> => {
      await sleep(ms);
      await job.continueWhenLong();
    },
    onDelay: (): void => {
      showDelay(job);
    },
  };
  return CancellationScope.nonCancellable(() => notifyUser(job, notify, message, retries));
}

/** Gives the result of the run, or throws its failure. A job whose result the project refuses is unsaved. */
export function resultOf<Result extends object>(
  job: Job,
  { failure, result, written }: End<Result>,
): Result & Pick<DeliveredResult, 'status'> {
  const status = written?.ok === false ? 'unsaved' : 'succeeded';
  setStage(job, failure ? statusOf(failure) : status);
  if (failure || !result) throw ApplicationFailure.create({ ...failure, nonRetryable: true });
  return { ...result, status };
}

function statusOf({ type }: NonNullable<RunEnd['failure']>): 'abandoned' | 'failed' {
  return type === FAILURE.abandoned ? 'abandoned' : 'failed';
}

/** Random, because after a reset the job may end in another way, or the project may take the result then. */
function newChangeId(purpose: 'result' | 'failed' | 'cancelled'): string {
  return changeIdOf(workflowInfo().workflowId, `${purpose}-${uuid4().slice(0, 8)}`);
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

type Left = Record<string, string | string[] | null>;

/** What the service may still work on; null when there is nothing. */
function leftBy(job: Job): Left | null {
  const [taskId, ...otherTasks] = job.tasks();
  const unknown = job.unknownSubmit();
  if (job.id === null && taskId === undefined && unknown === null) return null;
  return {
    ...unknown,
    ...job.facts(),
    ...(taskId === undefined ? {} : { taskId }),
    ...(otherTasks.length === 0 ? {} : { otherTasks }),
  };
}

async function writeLeft(job: Job, left: Left): Promise<void> {
  const facts = { key: job.input.key, ...left };
  const value = { ...facts, status: 'cancelled', finishedAt: new Date().toISOString() };
  job.writes.leave();
  const written = await write(job, failurePointer(job), {
    value,
    changeId: newChangeId('cancelled'),
    asked: {},
  });
  if (written && !written.ok)
    log.warn('the project does not know what the service still works on', { ...facts, ...written });
}

/** Not cancelled with the run: the project must know the paid work. Null where there is no outcome. */
async function write(
  job: Job,
  at: string | undefined,
  { value, changeId, asked }: Pick<RunEnd, 'value' | 'changeId' | 'asked'>,
): Promise<ChangeOutcome | null> {
  const { scope, write: target } = job.input;
  if (!target || at === undefined) return null;
  setStage(job, 'writing');
  const change = { steps: [{ at, set: value }] };
  let [isDelayed, isOver] = [false, false];
  const onDelay = (): void => {
    isDelayed = true;
    showDelay(job);
  };
  return CancellationScope.nonCancellable(async () => {
    const order = { project: target.project, scope, change, changeId, asked, onDelay };
    const outcome = writeToProject(job.writes, order).finally(() => (isOver = true));
    for (;;) {
      await condition(() => isOver || (isDelayed && !job.writes.isAsking));
      if (isOver) return (await outcome) ?? null;
      isDelayed = false;
      await job.continueWhenLong();
    }
  });
}

/** Null counts as absent: other languages write it for what they leave out. */
function failurePointer({ input: { write: target } }: Job): string | undefined {
  return target?.failedAt ?? target?.at;
}

function endNotice(job: Job, { failure }: RunEnd, written: ChangeOutcome | null): [NotifyEvent, Message] {
  const { tool, noun, kind, id, input } = job;
  const { key, write: target } = input;
  const message = endMessage({
    ...{ tool, noun, key, label: `${kind} \`${id ?? ''}\``, error: failure?.message },
    unsaved: written?.ok === false ? adviceOnUnsaved(workflowInfo().workflowId, written.error) : undefined,
    where: target
      ? `It is in ${target.project.resourcetype} ${target.project.id} at ${target.at}.`
      : undefined,
    extra: extraOf(job),
  });
  return [message.event === 'completed' ? 'completed' : 'failed', message];
}
