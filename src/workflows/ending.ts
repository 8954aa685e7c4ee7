/** What is done when a job is over: the project knows it, then the user, then whoever started the run. */
import { type ApplicationFailure, CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import {
  type ChangeOutcome,
  FAILURE,
  type MediaResult,
  type NoticeOutcome,
  type NotifyEvent,
} from '../contract';
import { changeIdOf } from '../ids';
import { type Message, tellUser } from './notice';
import { type Run } from './progress';
import { enterStage } from './show';
import { writeToProject } from './write';

/** How long a cancelled run waits to see its task id in the project; its writer goes on after that. */
const CANCEL_PATIENCE = '1m';

/** The service says SUCCESS. A refused write leaves the job succeeded, and somebody is told. */
export async function succeed(run: Run, info: unknown): Promise<MediaResult> {
  const { input, progress } = run;
  const taskId = progress.taskId ?? '';
  const finishedAt = new Date().toISOString();
  const written = await write(run, 'result', { key: input.key, taskId, info, finishedAt });
  const notified = await tell(run, written?.ok === false ? unwritten(run, written.error) : completed(run));
  enterStage(run, 'succeeded');
  return {
    key: input.key,
    status: 'succeeded',
    taskId,
    info,
    polls: progress.polls,
    submittedAt: progress.submittedAt,
    finishedAt,
    written,
    notified,
  };
}

/** Ends the run with a failure, after project and user know it. */
export async function fail(run: Run, failure: ApplicationFailure): Promise<never> {
  const { input, progress } = run;
  const status = failure.type === FAILURE.abandoned ? 'abandoned' : 'failed';
  const [facts] = (failure.details ?? []) as [{ errors?: unknown }?];
  await write(run, 'result', {
    key: input.key,
    taskId: progress.taskId,
    status,
    error: failure.message,
    ...(facts?.errors === undefined ? {} : { errors: facts.errors }),
    finishedAt: new Date().toISOString(),
  });
  await tell(run, failed(run, failure.message));
  enterStage(run, status);
  throw failure;
}

/** The run is cancelled; its task is not. Whoever wants it later finds its id in the project. */
export async function recordCancelled(run: Run): Promise<void> {
  const { input, progress } = run;
  const { taskId } = progress;
  await CancellationScope.nonCancellable(async () => {
    if (taskId !== null) {
      const value = { key: input.key, taskId, status: 'cancelled', finishedAt: new Date().toISOString() };
      await Promise.race([write(run, 'cancelled', value), sleep(CANCEL_PATIENCE)]);
    }
    enterStage(run, 'cancelled');
  });
}

/** Not cancelled with the run: what the service did for money is known here, and must be known there. */
function write(run: Run, purpose: string, value: object): Promise<ChangeOutcome | null> {
  const { input } = run;
  const target = input.write;
  if (!target) return Promise.resolve(null);
  enterStage(run, 'writing');
  const changeId = changeIdOf(workflowInfo().workflowId, purpose);
  const change = { steps: [{ at: target.at, set: value }] };
  return CancellationScope.nonCancellable(() =>
    writeToProject(target.project, input.scope, change, changeId),
  );
}

async function tell(
  run: Run,
  { about, message }: { about: NotifyEvent; message: Message },
): Promise<NoticeOutcome | null> {
  const { notify, key } = run.input;
  if (!notify || !(notify.on?.includes(about) ?? true)) return null;
  enterStage(run, 'notifying');
  return CancellationScope.nonCancellable(() => tellUser(notify, key, message));
}

function completed(run: Run): { about: NotifyEvent; message: Message } {
  const { input, progress } = run;
  const where =
    input.write &&
    `It is in ${input.write.project.resourcetype} ${input.write.project.id} at ${input.write.at}.`;
  return {
    about: 'completed',
    message: messageOf(run, {
      category: 'agentTaskCompleted',
      event: 'completed',
      title: 'Your media job is done',
      message: `${input.tool} for ${input.key} is finished.`,
      report: [
        `${input.tool} for \`${input.key}\` is finished (task \`${progress.taskId ?? ''}\`).`,
        ...(where ? [where] : []),
      ],
    }),
  };
}

function unwritten(run: Run, error: string): { about: NotifyEvent; message: Message } {
  const { input, progress } = run;
  return {
    about: 'failed',
    message: messageOf(run, {
      category: 'agentError',
      event: 'unwritten',
      title: 'A result could not be saved',
      message: `${input.tool} for ${input.key} is finished, but the project did not take it.`,
      report: [
        `${input.tool} for \`${input.key}\` is finished (task \`${progress.taskId ?? ''}\`), but the project did not take its result: ${error}`,
        'The result is kept in the run.',
      ],
    }),
  };
}

function failed(run: Run, error: string): { about: NotifyEvent; message: Message } {
  const { input } = run;
  return {
    about: 'failed',
    message: messageOf(run, {
      category: 'agentError',
      event: 'failed',
      title: 'Your media job failed',
      message: `${input.tool} for ${input.key}: ${error}`.replace(/\s+/g, ' ').slice(0, 300),
      report: [`${input.tool} for \`${input.key}\` did not succeed. ${error}`],
    }),
  };
}

function messageOf(
  { input, progress }: Run,
  { report, ...rest }: Pick<Message, 'category' | 'event' | 'title' | 'message'> & { report: string[] },
): Message {
  return {
    ...rest,
    body: ['Hello,', ...report, 'Segue'].join('\n\n'),
    extra: { job_key: input.key, ...(progress.taskId === null ? {} : { task_id: progress.taskId }) },
  };
}
