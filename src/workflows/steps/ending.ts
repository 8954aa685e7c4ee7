/** What is done when a job is over: the project knows it, then the user, then whoever started the run. */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type ChangeOutcome,
  FAILURE,
  type RunEnd,
  type NoticeOutcome,
  type NotifyEvent,
} from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { continueWhenLong, type Following } from './following';
import { closeHold } from './hold';
import { extraOf, type Message, tellUser } from '../lib/notice';
import { untilReported } from '../lib/reporting';
import { enterStage, showDelay, tasksOf } from './visibility';
import { outcomeUnlessKept, type WriteOptions, writeToProject } from './write';

/** What a run gives that ended well, and what its project is told of it. */
export interface Success<Result extends object> {
  result: Result;
  value: object;
}

interface Told {
  written: ChangeOutcome | null;
  notified: NoticeOutcome | null;
}

/**
 * Runs `work`; however it ends, project and user know that before the run ends. A run that continued as new while they
 * were told goes on with that.
 */
export async function endingWell<Result extends object>(
  run: Following,
  work: () => Promise<Success<Result>>,
): Promise<Result & Told> {
  const { progress } = run;
  try {
    progress.end ??= await endOf(run, work);
    const told = await tellEnd(run, progress.end);
    return { ...(progress.end.result as Result), ...told };
  } catch (error) {
    // Nothing is left to decide; a decision that comes now is told so.
    closeHold(run);
    if (isCancellation(error)) await recordCancelled(run);
    throw error;
  } finally {
    // Who asked something of the run gets an answer before it is gone.
    await CancellationScope.nonCancellable(async () => {
      await condition(allHandlersFinished);
      await untilReported(run);
    });
  }
}

/** Whether nothing is asked of the service any more: who waits for news has all there will be. */
export function isEnding({ stage }: Following): boolean {
  return ['writing', 'notifying', 'succeeded', 'failed', 'abandoned', 'cancelled'].includes(stage);
}

async function endOf(run: Following, work: () => Promise<Success<object>>): Promise<RunEnd> {
  try {
    return { ...(await work()), changeId: newChangeId('result'), asked: {} };
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    closeHold(run);
    const { type, message, details } = error;
    const failure = { type: type ?? '', message, details: details ?? [] };
    return { failure, value: valueOf(run, failure), changeId: newChangeId('failed'), asked: {} };
  }
}

function valueOf({ input, subject }: Following, failure: NonNullable<RunEnd['failure']>): object {
  const [facts] = failure.details as [{ errors?: unknown }?];
  return {
    key: input.key,
    ...subject.facts(),
    status: statusOf(failure),
    error: failure.message,
    ...(facts?.errors === undefined ? {} : { errors: facts.errors }),
    finishedAt: new Date().toISOString(),
  };
}

/** Tells project and user, then throws the failure, if there is one. A job whose result the project refuses succeeded. */
async function tellEnd(run: Following, end: RunEnd): Promise<Told> {
  const { failure } = end;
  if (end.written === undefined) {
    const at = failure ? placeOfFailure(run) : run.input.write?.at;
    end.written = await write(run, at, end, { beforeAsk: () => continueWhenLong(run) });
  }
  const { written } = end;
  const news = written?.ok === false ? unwritten(run, written.error) : completed(run);
  const notified = await tell(run, failure ? failed(run, failure.message) : news, end);
  enterStage(run, failure ? statusOf(failure) : 'succeeded');
  if (failure) throw ApplicationFailure.create({ ...failure, nonRetryable: true });
  return { written, notified };
}

function statusOf({ type }: NonNullable<RunEnd['failure']>): 'abandoned' | 'failed' {
  return type === FAILURE.abandoned ? 'abandoned' : 'failed';
}

/** Each end is a change of its own: a run that is reset may end in another way, or the project may take it then. */
function newChangeId(purpose: 'result' | 'failed' | 'cancelled'): string {
  return changeIdOf(workflowInfo().workflowId, `${purpose}-${uuid4().slice(0, 8)}`);
}

/**
 * The run is cancelled; what it follows is not. Whoever wants it later finds its id in the project, or that there may be
 * something that nobody knows the id of.
 */
async function recordCancelled(run: Following): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    let told: number;
    do {
      told = tasksOf(run).length;
      const left = leftBy(run);
      if (left !== null) await recordLeft(run, left);
      // The answer to a submission may have come meanwhile.
    } while (tasksOf(run).length > told);
    enterStage(run, 'cancelled');
  });
}

/** All that the service may still work on: what is followed, other tasks of the job, and what nobody knows the id of. */
function leftBy(run: Following): Left | null {
  const { subject } = run;
  const [taskId, ...otherTasks] = tasksOf(run);
  const unknown = subject.unknown?.() ?? null;
  if (subject.id() === null && taskId === undefined && unknown === null) return null;
  return {
    ...unknown,
    ...subject.facts(),
    ...(taskId === undefined ? {} : { taskId }),
    ...(otherTasks.length === 0 ? {} : { otherTasks }),
  };
}

type Left = Record<string, string | string[] | null>;

async function recordLeft(run: Following, left: Left): Promise<void> {
  const facts = { key: run.input.key, ...left };
  const value = { ...facts, status: 'cancelled', finishedAt: new Date().toISOString() };
  const written = await outcomeUnlessKept((onReceipt) =>
    write(run, placeOfFailure(run), { value, changeId: newChangeId('cancelled'), asked: {} }, { onReceipt }),
  );
  if (written && !written.ok)
    log.warn('the project does not know what the service still works on', { ...facts, ...written });
}

/** Not cancelled with the run: what the service did for money is known here, and must be known there. */
function write(
  run: Following,
  at: string | undefined,
  { value, changeId, asked }: Pick<RunEnd, 'value' | 'changeId' | 'asked'>,
  options: Pick<WriteOptions, 'onReceipt' | 'beforeAsk'>,
): Promise<ChangeOutcome | null> {
  const { scope, write: target } = run.input;
  if (!target || at === undefined) return Promise.resolve(null);
  enterStage(run, 'writing');
  const change = { steps: [{ at, set: value }] };
  return CancellationScope.nonCancellable(() =>
    writeToProject(
      run.mailbox,
      { project: target.project, scope, change, changeId },
      {
        ...options,
        asked,
        onDelay: () => {
          showDelay(run);
        },
      },
    ),
  );
}

/** Other languages write null for what they leave out. */
function placeOfFailure({ input: { write: target } }: Following): string | undefined {
  return target?.failedAt ?? target?.at;
}

async function tell(
  run: Following,
  { about, message }: { about: NotifyEvent; message: Message },
  end: RunEnd,
): Promise<NoticeOutcome | null> {
  const { notify } = run.input;
  if (!notify || !(notify.on?.includes(about) ?? true)) return null;
  enterStage(run, 'notifying');
  end.tellingSince ??= new Date().toISOString();
  const tries = {
    begun: Date.parse(end.tellingSince),
    rest: async (ms: number): Promise<void> => {
      await sleep(ms);
      await continueWhenLong(run);
    },
  };
  const onDelay = (): void => {
    showDelay(run);
  };
  return CancellationScope.nonCancellable(() => tellUser(run, notify, message, onDelay, tries));
}

function completed(run: Following): { about: NotifyEvent; message: Message } {
  const { input, subject } = run;
  const where =
    input.write &&
    `It is in ${input.write.project.resourcetype} ${input.write.project.id} at ${input.write.at}.`;
  return {
    about: 'completed',
    message: messageOf(run, {
      category: 'agentTaskCompleted',
      event: 'completed',
      title: `Your ${subject.noun} is done`,
      message: `${subject.tool} for ${input.key} is finished.`,
      report: [
        `${subject.tool} for \`${input.key}\` is finished (${subject.kind} \`${subject.id() ?? ''}\`).`,
        ...(where ? [where] : []),
      ],
    }),
  };
}

function unwritten(run: Following, error: string): { about: NotifyEvent; message: Message } {
  const { input, subject } = run;
  return {
    about: 'failed',
    message: messageOf(run, {
      category: 'agentError',
      event: 'unwritten',
      title: 'A result could not be saved',
      message: `${subject.tool} for ${input.key} is finished, but the project did not take it.`,
      report: [
        `${subject.tool} for \`${input.key}\` is finished (${subject.kind} \`${subject.id() ?? ''}\`), but the project did not take its result: ${error}`,
        'The result is kept in the run.',
      ],
    }),
  };
}

function failed(run: Following, error: string): { about: NotifyEvent; message: Message } {
  const { input, subject } = run;
  return {
    about: 'failed',
    message: messageOf(run, {
      category: 'agentError',
      event: 'failed',
      title: `Your ${subject.noun} failed`,
      message: `${subject.tool} for ${input.key}: ${error}`.replace(/\s+/g, ' ').slice(0, 300),
      report: [`${subject.tool} for \`${input.key}\` did not succeed. ${error}`],
    }),
  };
}

function messageOf(
  run: Following,
  { report, ...rest }: Pick<Message, 'category' | 'event' | 'title' | 'message'> & { report: string[] },
): Message {
  return {
    ...rest,
    body: ['Hello,', ...report, 'Segue'].join('\n\n'),
    extra: extraOf(run),
  };
}
