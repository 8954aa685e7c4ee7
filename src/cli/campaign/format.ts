import { type CampaignJob, type CampaignResult, type CampaignStatus } from '../../contract';
import { type JobReport } from '../../client/report';
import { adviceOnCampaign } from '../lib/advice';
import { age, counted, lines, table } from '../lib/format';

const OVER = ['succeeded', 'failed', 'abandoned', 'cancelled', 'terminated', 'skipped'];

function summaryLine({ key, stage, since, jobs, percent, paused }: CampaignStatus): string {
  const over = jobs.filter(({ status }) => OVER.includes(status)).length;
  const far =
    jobs.length > 0 ? `, ${over} of ${counted(jobs.length, 'job')} over (${Math.round(percent)} %)` : '';
  return `${key}: ${stage} for ${age(since)}${far}${paused ? ', paused' : ''}`;
}

export function statusLines(status: CampaignStatus): string[] {
  const { jobs, waitsFor, paused, approval, decisions, remarks, unsaved } = status;
  return lines(
    summaryLine(status),
    waitsFor && `waits for ${waitsFor.what}, for ${age(waitsFor.since)}`,
    paused && `paused by ${paused.by} for ${age(paused.since)}${because(paused.reason)}`,
    approval && `${approval.from} was asked ${age(approval.askedAt)} ago, until ${approval.expiresAt}`,
    historyLines({ jobs, decisions, remarks }),
    unsaved && `the project does not show this yet: ${unsaved}`,
  );
}

export function resultLines({ written, ...result }: CampaignResult): string[] {
  return lines(
    historyLines(result),
    !written.ok && result.status !== 'completed' && `the project does not show the end: ${written.error}`,
  );
}

function historyLines({
  jobs,
  decisions,
  remarks,
}: Pick<CampaignResult, 'jobs' | 'decisions' | 'remarks'>): string[] {
  return [
    ...jobLines(jobs),
    ...decisions.map(
      ({ decision, by, at, comment, jobs: which }) =>
        `${decision} by ${by} at ${at}${which ? ` of ${which.join(', ')}` : ''}${because(comment)}`,
    ),
    ...remarks.map((remark) => `remark: ${remark}`),
  ];
}

export function failureLines({ info }: Pick<JobReport, 'info'>): string[] {
  const { problems = [], jobs = [] } = (info ?? {}) as { problems?: string[]; jobs?: CampaignJob[] };
  return [...problems.map((problem) => `problem: ${problem}`), ...jobLines(jobs)];
}

export function newsLines(before: CampaignStatus | undefined, now: CampaignStatus): string[] {
  const earlier = new Map(before?.jobs.map((job) => [job.name, job]));
  const isNews = (job: CampaignJob): boolean => {
    const was = earlier.get(job.name);
    return was ? was.status !== job.status || was.taskId !== job.taskId : job.status !== 'waiting';
  };
  const isElsewhere = before?.stage !== now.stage || !before.paused !== !now.paused;
  return lines(
    isElsewhere && summaryLine(now),
    now.jobs.filter(isNews).map((job) => `${now.key}: ${job.name} ${job.status}${detail(job)}`),
    // The person who waits may be the one who has to decide.
    now.approval && !before?.approval && adviceOnCampaign(now),
  );
}

type ShownJob = CampaignJob & { needs?: string[] };

/** A chain of hundreds of jobs would fill the terminal with blanks. */
const DEEPEST = 8;

function jobLines(jobs: readonly ShownJob[]): string[] {
  if (jobs.length === 0) return [];
  return table([['JOB', 'KIND', 'STATUS', 'FOR', 'TASK', ''], ...treeRows(jobs)]);
}

/** As a tree: a job is shown below the last one that it needs. A result does not say what its jobs needed. */
function treeRows(jobs: readonly ShownJob[], parent?: string, depth = 0): string[][] {
  return jobs
    .filter(({ needs = [] }) => needs.at(-1) === parent)
    .flatMap((job) => [rowOf(job, Math.min(depth, DEEPEST)), ...treeRows(jobs, job.name, depth + 1)]);
}

function rowOf(job: ShownJob, depth: number): string[] {
  const { name, kind, status, since, optional, needs = [], taskId, repeats, error, links } = job;
  const isNow = status !== 'waiting' && !OVER.includes(status);
  const remarks = lines(
    error ?? links[0],
    needs.length > 1 && `(needs ${needs.join(', ')})`,
    optional && '(optional)',
    repeats > 0 && `(made again ${repeats} times)`,
  );
  const branch = depth > 0 ? `${'   '.repeat(depth - 1)}└─ ` : '';
  return [`${branch}${name}`, kind, status, isNow ? age(since) : '', taskId ?? '', remarks.join(' ')];
}

function detail({ taskId, error }: CampaignJob): string {
  return `${taskId ? ` (task ${taskId})` : ''}${error ? `: ${error}` : ''}`;
}

function because(reason: string | undefined): string {
  return reason ? `: ${reason}` : '';
}
