/** How a campaign stands, in words, for people. */
import { type CampaignJob, type CampaignResult, type CampaignStatus } from '../../contract';
import { type JobReport } from '../../client/report';
import { age, table } from '../lib/format';

const OVER = ['succeeded', 'failed', 'abandoned', 'cancelled', 'terminated', 'skipped'];

/** One line: where it is, and how far. */
function summaryLine({ key, stage, since, jobs, percent, paused }: CampaignStatus): string {
  const over = jobs.filter(({ status }) => OVER.includes(status)).length;
  const far = jobs.length > 0 ? `, ${over} of ${jobs.length} jobs over (${Math.round(percent)} %)` : '';
  return `${key}: ${stage} for ${age(since)}${far}${paused ? ', paused' : ''}`;
}

/** Everything that is to be known of it while it runs. */
export function statusLines(status: CampaignStatus): string[] {
  const { jobs, waitsFor, paused, approval, decisions, remarks, unsaved } = status;
  const pause = paused && `paused by ${paused.by} for ${age(paused.since)}${because(paused.reason)}`;
  const asked =
    approval && `${approval.from} was asked ${age(approval.askedAt)} ago, until ${approval.expiresAt}`;
  return [
    summaryLine(status),
    ...(waitsFor ? [`waits for ${waitsFor.what}, for ${age(waitsFor.since)}`] : []),
    ...(pause ? [pause] : []),
    ...(asked ? [asked] : []),
    ...jobLines(jobs),
    ...decisionLines(decisions),
    ...remarks.map((remark) => `remark: ${remark}`),
    ...(unsaved ? [`the project does not show this yet: ${unsaved}`] : []),
  ];
}

/** What it came to. */
export function resultLines({ jobs, decisions, remarks, written }: CampaignResult): string[] {
  return [
    ...jobLines(jobs),
    ...decisionLines(decisions),
    ...remarks.map((remark) => `remark: ${remark}`),
    ...(written.ok ? [] : [`the project does not show the end: ${written.error}`]),
  ];
}

/** A failed campaign tells what was wrong, or what its jobs came to. */
export function failureLines({ info }: Pick<JobReport, 'info'>): string[] {
  const { problems = [], jobs = [] } = (info ?? {}) as { problems?: string[]; jobs?: CampaignJob[] };
  return [...problems.map((problem) => `problem: ${problem}`), ...jobLines(jobs)];
}

/** What has changed since, a line each, for those who read along. */
export function newsLines(before: CampaignStatus | undefined, now: CampaignStatus): string[] {
  const earlier = new Map(before?.jobs.map((job) => [job.name, job]));
  const isNews = (job: CampaignJob): boolean => {
    const was = earlier.get(job.name);
    return was ? was.status !== job.status || was.taskId !== job.taskId : job.status !== 'waiting';
  };
  const isElsewhere = before?.stage !== now.stage || Boolean(before.paused) !== Boolean(now.paused);
  return [
    ...(isElsewhere ? [summaryLine(now)] : []),
    ...now.jobs.filter(isNews).map((job) => `${now.key}: ${job.name} ${job.status}${detail(job)}`),
  ];
}

function jobLines(jobs: readonly CampaignJob[]): string[] {
  if (jobs.length === 0) return [];
  return table([['JOB', 'KIND', 'STATUS', 'FOR', 'TASK', ''], ...jobs.map(rowOf)]);
}

function rowOf({
  name,
  kind,
  status,
  since,
  optional,
  taskId,
  repeats,
  error,
  links,
}: CampaignJob): string[] {
  const marks = [optional && 'optional', repeats > 0 && `made again ${repeats} times`].filter(Boolean);
  const [link = ''] = links;
  const words = error ?? link;
  return [
    name,
    kind,
    status,
    status === 'waiting' || OVER.includes(status) ? '' : age(since),
    taskId ?? '',
    [words, ...(marks.length > 0 ? [`(${marks.join(', ')})`] : [])].filter(Boolean).join(' '),
  ];
}

function decisionLines(decisions: CampaignStatus['decisions']): string[] {
  return decisions.map(
    ({ decision, by, at, comment, jobs }) =>
      `${decision} by ${by} at ${at}${jobs ? ` of ${jobs.join(', ')}` : ''}${because(comment)}`,
  );
}

function detail({ taskId, error }: CampaignJob): string {
  return `${taskId ? ` (task ${taskId})` : ''}${error ? `: ${error}` : ''}`;
}

function because(reason: string | undefined): string {
  return reason ? `: ${reason}` : '';
}
