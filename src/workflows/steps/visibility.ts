/** What people see of a run: its stage and tasks in lists, its details on its page. */
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import { type Hold, type TranscriptStage, UNKNOWN_MEMO, type UnknownSubmit } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { submitRequestId } from '../../contract/ids';
import { attributesOfJob, keyword, searchAttributes } from '../../contract/searchAttributes';
import { reportStage } from '../lib/listeners';
import { type Job, type Stage } from './job';
import { type MediaJob } from './mediaJob';
import { type RecordJob } from './records';

/** These stages are short and each listing costs an event, so they are listed only when they take long. */
const UNLISTED: ReadonlySet<Stage> = new Set(['writing', 'notifying']);

/** The server ends a run whose list of tasks has more bytes. */
const MOST_LISTED_BYTES = 2_048;

/** Segue's own starts set the search attributes; for other starts they are set here. */
export function showStart(job: Job): void {
  const listed = listedStage();
  if (listed === undefined)
    upsertSearchAttributes(attributesOfJob({ ...job.input, tool: job.tool }, job.stage));
  if (listed !== job.stage || job.tasks().length > 0 || job.unknownSubmit()) list(job);
  showDetails(job);
}

export function setStage(job: Job, stage: Stage): void {
  const before = job.stage;
  const isNew = before !== stage;
  job.stage = stage;
  // A short stage that is listed must not stay listed.
  if (isNew && (!UNLISTED.has(stage) || UNLISTED.has(listedStage() as Stage))) list(job);
  if (isNew) reportStage(job, before);
  showDetails(job);
}

/** Lists a short stage that takes long, so that people find what is stuck. */
export function showDelay(job: Job): void {
  if (isDelayed(job)) return;
  list(job);
  showDetails(job);
}

function isDelayed({ stage }: Job): boolean {
  return UNLISTED.has(stage) && listedStage() === stage;
}

/** Costs no event. */
export function showDetails(job: Job): void {
  setCurrentDetails(job.details());
}

/** Lists a task that came late. */
export function showTasks(job: Job): void {
  list(job);
  showDetails(job);
}

function list(job: Job): void {
  const tasks = job.tasks().map(keyword);
  // The first id always stays: no single id is that long.
  while (bytesOf(tasks) > MOST_LISTED_BYTES) tasks.pop();
  upsertSearchAttributes([
    { key: searchAttributes.stage, value: job.stage },
    ...(tasks.length > 0 ? [{ key: searchAttributes.taskIds, value: tasks }] : []),
  ]);
  // In the memo, so that a closed run tells without a worker which POST may have been accepted.
  const unknown = job.unknownSubmit() ?? undefined;
  const kept = workflowInfo().memo?.[UNKNOWN_MEMO] as UnknownSubmit | undefined;
  // A second POST of unknown outcome replaces the first.
  if (kept?.submission !== unknown?.submission) upsertMemo({ [UNKNOWN_MEMO]: unknown });
}

function listedStage(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
}

export function mediaDetails(job: MediaJob): string {
  return lines(detailsOfStage(job), ...unpolledTasks(job));
}

/** Other tasks of this job: they are paid for, too, and somebody may want them. */
function unpolledTasks({ progress }: MediaJob): string[] {
  const submitted = progress.attempts.map(({ n, taskId }) => ({ name: `submission ${n}`, taskId }));
  const others = progress.otherTasks.map((taskId) => ({
    name: 'a submission that this run does not know',
    taskId,
  }));
  return [...submitted, ...others].flatMap(({ name, taskId }) =>
    taskId === undefined || taskId === progress.taskId
      ? []
      : [`The service accepted ${name} too, as task \`${taskId}\`: \`segue get task ${taskId}\``],
  );
}

function detailsOfStage(job: MediaJob): string {
  const { input, progress, stage, settings } = job;
  const task = progress.taskId === null ? '' : ` (task \`${progress.taskId}\`)`;
  switch (stage) {
    case 'submitting':
      return `Submitting to ${input.tool}. Nothing is to be done.`;
    case 'waiting':
      return lines(
        'Waiting to submit: the service did not take the job yet, and nothing was accepted.',
        `What happened: ${job.lastError ?? 'nothing yet'}`,
        'It tries again by itself. Nothing is to be done, unless the service is known to be down for good.',
      );
    case 'held':
      return holdDetails(job, whatToFind(job));
    case 'overdue':
      return lines(holdDetails(job, whatToFind(job)), ...lastErrorText(job));
    case 'polling':
      return lines(
        `The service works on it${task}; asked every ${formatDuration(settings.pollMin)} to ${formatDuration(settings.pollMax)}. Nothing is to be done.`,
        ...lastErrorText(job),
      );
    case 'writing':
    case 'notifying':
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return endDetails(job, stage);
  }
}

function whatToFind({ input, progress }: MediaJob): string {
  const last = progress.attempts.at(-1);
  if (!last) return `task \`${progress.taskId ?? ''}\``;
  return `submission ${last.n}, ordered at ${last.at} as X-Request-Id \`${submitRequestId(input.key, last.n)}\``;
}

export function recordDetails(job: RecordJob, stage: TranscriptStage): string {
  const { progress, settings } = job;
  const label = `${job.kind} \`${job.id ?? ''}\``;
  const pace = `asked every ${formatDuration(settings.pollMin)} to ${formatDuration(settings.pollMax)}`;
  switch (stage) {
    case 'polling':
      return lines(
        `Waiting for the service to end ${label}; ${pace}. Nothing is to be done.`,
        ...(progress.status === null ? [] : [`Its status: ${progress.status}`]),
        ...lastErrorText(job),
      );
    case 'overdue':
      return lines(holdDetails(job, label), `What the service says: ${job.lastStatusText()}.`);
    case 'downloading':
      return lines(
        `The service is done with ${label}; its file is being downloaded, ${pace}. Nothing is to be done.`,
        ...lastErrorText(job),
      );
    case 'writing':
    case 'notifying':
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return endDetails(job, stage);
  }
}

function endDetails(job: Job, stage: EndStage): string {
  const label = job.id === null ? '' : ` (${job.kind} \`${job.id}\`)`;
  switch (stage) {
    case 'writing':
      return lines(
        `What became of the job${label} is being written to the project.`,
        ...(isDelayed(job) ? [delayOf(job)] : []),
      );
    case 'notifying':
      return `The service is done${label}; somebody is being told.`;
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return `The job ${stage === 'succeeded' ? 'succeeded' : stage === 'failed' ? 'failed' : `was ${stage}`}${label}.`;
    default:
      return stage satisfies never;
  }
}

function delayOf({ input: { write } }: Job): string {
  const { resourcetype = '', id = '' } = write?.project ?? {};
  return `That takes longer than it should, and is not given up. What it waits for: \`segue project status ${resourcetype} ${id}\`.`;
}

type EndStage = 'writing' | 'notifying' | 'succeeded' | 'failed' | 'abandoned' | 'cancelled';

export const MEANING: Record<Hold['why'], string> = {
  unknown:
    'The service may have accepted the job, and may already work on it for money. Segue sends nothing until a person decides.',
  missing:
    'The service accepted the job and no longer knows its task. Segue asks no more and sends nothing until a person decides.',
  overdue:
    'The service still works on the job, or never says that it is over. Segue goes on asking, more slowly.',
};

/** `lookFor` is what a person looks for in the service before deciding. */
function holdDetails(job: Job, lookFor: string): string {
  const hold = job.describeHold();
  if (!hold) return 'Decided; going on.';
  return lines(
    `**Needs a person** since ${hold.since}.`,
    `What happened: ${hold.reason}`,
    `What it means: ${MEANING[hold.why]}`,
    hold.why === 'overdue'
      ? 'What to do: nothing, or give it up:'
      : `What to do: look in the service for ${lookFor}, then decide:`,
    ...commandsOf(job).map(({ when, command }) => `- ${when}: \`${command}\``),
  );
}

/** The commands that decide a hold, and when each is right. */
export function commandsOf(job: Job): { when: string; command: string }[] {
  const hold = job.describeHold();
  const decide = `segue resolve ${workflowInfo().workflowId}`;
  const all = {
    adopt: { when: 'the job is there', command: `${decide} --adopt TASK_ID --reason "found it"` },
    resubmit: {
      when: `it is not there (from ${hold?.resubmitAfter ?? 'now'} on)`,
      command: `${decide} --resubmit --reason "not there"`,
    },
    abandon: { when: 'nobody needs it any more', command: `${decide} --abandon --reason "not needed"` },
  };
  return (hold?.actions ?? []).map((action) => all[action]);
}

function lastErrorText({ lastError }: Job): string[] {
  return lastError === null ? [] : [`The last question met an error, and is asked again: ${lastError}`];
}

export function lines(...paragraphs: string[]): string {
  return paragraphs.join('\n\n');
}
