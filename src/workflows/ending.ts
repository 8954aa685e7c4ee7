/** What is done when a job is over: the project knows it, then the user, then whoever started the run. */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { type ChangeOutcome, FAILURE, type NoticeOutcome, type NotifyEvent } from '../contract';
import { changeIdOf } from '../ids';
import { type Following } from './following';
import { closeHold } from './hold';
import { extraOf, type Message, tellUser } from './notice';
import { untilReported } from './reporting';
import { enterStage, showDelay, tasksOf } from './show';
import { outcomeUnlessKept, type WriteOptions, writeToProject } from './write';

/** Runs `work`; where it fails or is cancelled, project and user know that before the run ends. */
export async function endingWell<T>(run: Following, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Nothing is left to decide; a decision that comes now is told so.
    closeHold(run);
    if (isCancellation(error)) await recordCancelled(run);
    else if (error instanceof ApplicationFailure) await fail(run, error);
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

/** The service is done. A refused write of the value leaves the job succeeded, and somebody is told. */
export async function succeed(
  run: Following,
  value: object,
): Promise<{ written: ChangeOutcome | null; notified: NoticeOutcome | null }> {
  const written = await write(run, run.input.write?.at, 'result', value);
  const notified = await tell(run, written?.ok === false ? unwritten(run, written.error) : completed(run));
  enterStage(run, 'succeeded');
  return { written, notified };
}

/** Ends the run with a failure, after project and user know it. */
async function fail(run: Following, failure: ApplicationFailure): Promise<never> {
  const { input, subject } = run;
  const status = failure.type === FAILURE.abandoned ? 'abandoned' : 'failed';
  const [facts] = (failure.details ?? []) as [{ errors?: unknown }?];
  await write(run, placeOfFailure(run), 'failed', {
    key: input.key,
    ...subject.facts(),
    status,
    error: failure.message,
    ...(facts?.errors === undefined ? {} : { errors: facts.errors }),
    finishedAt: new Date().toISOString(),
  });
  await tell(run, failed(run, failure.message));
  enterStage(run, status);
  throw failure;
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
    write(run, placeOfFailure(run), 'cancelled', value, onReceipt),
  );
  if (written && !written.ok)
    log.warn('the project does not know what the service still works on', { ...facts, ...written });
}

/** Not cancelled with the run: what the service did for money is known here, and must be known there. */
function write(
  run: Following,
  at: string | undefined,
  purpose: 'result' | 'failed' | 'cancelled',
  value: object,
  onReceipt?: WriteOptions['onReceipt'],
): Promise<ChangeOutcome | null> {
  const { scope, write: target } = run.input;
  if (!target || at === undefined) return Promise.resolve(null);
  enterStage(run, 'writing');
  // Each end is a change of its own: a run that is reset may end in another way, or the project may take it then.
  const changeId = changeIdOf(workflowInfo().workflowId, `${purpose}-${uuid4().slice(0, 8)}`);
  const change = { steps: [{ at, set: value }] };
  return CancellationScope.nonCancellable(() =>
    writeToProject(
      run.mailbox,
      { project: target.project, scope, change, changeId },
      {
        onReceipt,
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
): Promise<NoticeOutcome | null> {
  const { notify } = run.input;
  if (!notify || !(notify.on?.includes(about) ?? true)) return null;
  enterStage(run, 'notifying');
  return CancellationScope.nonCancellable(() =>
    tellUser(run, notify, message, () => {
      showDelay(run);
    }),
  );
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
