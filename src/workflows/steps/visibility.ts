/** What people see of a run: its stage and tasks in lists, its details on its page. */
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import { type Hold, type JobStage, UNKNOWN_MEMO, type UnknownSubmit } from '../../contract';
import { adviceList, decisionAdvice, projectStatusCommand } from '../../contract/advice';
import { formatDuration } from '../../contract/durations';
import { attributesOfJob, keyword, searchAttributes } from '../../contract/searchAttributes';
import { reportStage } from '../lib/listeners';
import { type Job } from './job';

/** These stages are short and each listing costs an event, so they are listed only when they take long. */
const UNLISTED: ReadonlySet<JobStage> = new Set(['writing', 'notifying']);

/** The server ends a run whose list of tasks has more bytes. */
const MOST_LISTED_BYTES = 2_048;

/** Segue's own starts set the search attributes; for other starts they are set here. Gives the stage listed before. */
export function listStart(...attributes: Parameters<typeof attributesOfJob>): string | undefined {
  const listed = listedStage();
  if (listed === undefined) upsertSearchAttributes(attributesOfJob(...attributes));
  return listed;
}

export function listStage(stage: string): void {
  upsertSearchAttributes([{ key: searchAttributes.stage, value: stage }]);
}

export function showStart(job: Job): void {
  const listed = listStart({ ...job.input, tool: job.tool }, job.stage);
  if (listed !== job.stage || job.tasks().length > 0 || job.unknownSubmit()) list(job);
  showDetails(job);
}

export function setStage(job: Job, stage: JobStage): void {
  const before = job.stage;
  const isNew = before !== stage;
  job.stage = stage;
  // A short stage that is listed must not stay listed.
  if (isNew && (!UNLISTED.has(stage) || UNLISTED.has(listedStage() as JobStage))) list(job);
  if (isNew) reportStage(job, before);
  showDetails(job);
}

/** Lists a short stage that takes long, so that people find what is stuck. */
export function showDelay(job: Job): void {
  if (!isDelayed(job)) showTasks(job);
}

function isDelayed({ stage }: Job): boolean {
  return UNLISTED.has(stage) && listedStage() === stage;
}

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
  // In the memo, so that a closed run shows without a worker which POST may have been accepted.
  const unknown = job.unknownSubmit() ?? undefined;
  const kept = workflowInfo().memo?.[UNKNOWN_MEMO] as UnknownSubmit | undefined;
  // A second POST of unknown outcome replaces the first.
  if (kept?.submission !== unknown?.submission) upsertMemo({ [UNKNOWN_MEMO]: unknown });
}

function listedStage(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
}

/** Costs no event. */
export function showDetails(job: Job): void {
  setCurrentDetails(lines(...detailsOf(job), ...job.notes()));
}

function detailsOf(job: Job): string[] {
  const { stage, settings, lastError } = job;
  const label = job.id === null ? 'it' : `${job.kind} \`${job.id}\``;
  const pace = `polled every ${formatDuration(settings.pollMin)} to ${formatDuration(settings.pollMax)}`;
  const errors = lastError === null ? [] : [`The last poll failed and is repeated: ${lastError}`];
  switch (stage) {
    case 'submitting':
      return [`Submitting to ${job.tool}. Nothing needs to be done.`];
    case 'waiting':
      return [
        'Waiting to submit: the service did not take the job yet, and nothing was accepted.',
        `What happened: ${lastError ?? 'nothing yet'}`,
        'It tries again by itself. Nothing needs to be done, except when the service is known not to come back.',
      ];
    case 'held':
      return holdDetails(job);
    case 'overdue':
      return [...holdDetails(job), ...errors];
    case 'polling':
      return [`Waiting for the service to end ${label}; ${pace}. Nothing needs to be done.`, ...errors];
    case 'downloading':
      return [
        `The service has ended ${label}; its file is downloaded, ${pace}. Nothing needs to be done.`,
        ...errors,
      ];
    case 'writing':
      return [
        `The end of ${label} is being written to the project.`,
        ...(isDelayed(job) ? [delayOf(job)] : []),
      ];
    case 'notifying':
      return [`The service has ended ${label}; its user is being notified.`];
    case 'unsaved':
      return [
        `The service has ended ${label}, but **the project did not take the result**, which is kept in the result of this run.`,
        `What to do: \`segue retry ${workflowInfo().workflowId}\` writes it again and submits nothing.`,
      ];
    case 'succeeded':
    case 'failed':
      return [`The job ${stage}: ${label}.`];
    case 'abandoned':
    case 'cancelled':
      return [`The job was ${stage}: ${label}.`];
  }
}

function delayOf({ input: { write, scope } }: Job): string {
  const status = write ? ` What it waits for: \`${projectStatusCommand(write.project, scope)}\`.` : '';
  return `The write takes longer than usual and is retried.${status}`;
}

export const MEANING: Record<Hold['why'], string> = {
  unknown:
    'The service may have accepted the job, and may already work on it for money. Segue sends nothing until a person decides.',
  missing:
    'The service accepted the job and no longer knows its task. Segue stops polling and sends nothing until a person decides.',
  overdue:
    'The service still works on the job, or never says that it is over. Segue keeps polling, more slowly.',
};

function holdDetails(job: Job): string[] {
  const hold = job.describeHold();
  if (!hold) return ['Decided; the job continues.'];
  const submit = job.unknownSubmit();
  const lookFor = submit ? `X-Request-Id \`${submit.submission}\` of ${submit.submittedAt}` : job.label;
  return [
    `**Needs a person** since ${hold.since}.`,
    `What happened: ${hold.reason}`,
    `What it means: ${MEANING[hold.why]}`,
    hold.why === 'overdue'
      ? 'What to do: nothing, or give it up:'
      : `What to do: look in the service for ${lookFor}, then decide:`,
    decisionList(job),
  ];
}

export function decisionList(job: Job): string {
  const hold = job.describeHold();
  return hold ? adviceList(decisionAdvice(workflowInfo().workflowId, hold)) : '';
}

export function lines(...paragraphs: string[]): string {
  return paragraphs.join('\n\n');
}
