/** How a campaign learns of its jobs: by their signals, and by checks of those that are silent. */
import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import { isIdText } from '../../api/scope';
import { type CampaignJob, END_STAGES, type JobEnd, jobNewsSignal } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { readManyEnds } from '../lib/otherRuns';
import { type Campaign, isOpen, setStatus } from './state';
import { endJob, publish } from './status';

const RUNS: ReadonlySet<unknown> = new Set(['polling', 'submitting', 'waiting']);

/** Signalled just before the end. */
const ENDS: ReadonlySet<unknown> = new Set(END_STAGES);

export function handleReports(run: Campaign): void {
  setHandler(
    jobNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) takeReport(run, news);
    },
    { description: 'What one of its jobs is at: { workflowId, stage, taskId }.' },
  );
  // Signals that the previous run did not act on.
  if (run.input.carried) resumeChecks(run);
}

function takeReport(run: Campaign, { workflowId, stage, taskId }: Record<string, unknown>): void {
  const job = run.progress.jobs.find((one) => one.workflowId === workflowId && isOpen(one));
  if (!job) return;
  if (isIdText(taskId)) job.taskId = taskId;
  if (stage === 'held' || stage === 'overdue') setStatus(job, stage);
  else if (RUNS.has(stage)) setStatus(job, 'running');
  else if (ENDS.has(stage)) run.ended.set(job.name, 'ends');
  else return;
  publish(run);
}

/** Waits until there is something to act on. */
export async function untilChange(run: Campaign, isWork: () => boolean): Promise<void> {
  const isThere = (): boolean => run.ended.size > 0 || isWork() || run.mayContinue();
  const checkAt = nextCheck(run);
  if (checkAt === undefined) return condition(isThere);
  if (!(await condition(isThere, Math.max(1, checkAt - Date.now())))) check(run);
}

export async function readEnds(run: Campaign): Promise<void> {
  const ended = new Map(run.ended);
  run.ended.clear();
  const jobs = run.progress.jobs.filter((job) => ended.has(job.name) && isOpen(job));
  const isEnding = ({ name }: CampaignJob): boolean => ended.get(name) === 'ends';
  const ending = jobs.filter(isEnding);
  const silent = jobs.filter((job) => !isEnding(job));
  // Each alone, so that a slow end does not delay the others; a cancelled campaign waits for all anyway.
  const lists = run.cancelling ? [ending] : ending.map((job) => [job]);
  await Promise.all([...lists.map((list) => readEndsOf(run, list, true)), readEndsOf(run, silent, false)]);
}

async function readEndsOf(run: Campaign, jobs: CampaignJob[], isEnding: boolean): Promise<void> {
  const runs = jobs.map(({ workflowId }) => ({ workflowId: workflowId ?? '', isEnding }));
  const ends = await CancellationScope.nonCancellable(() => readManyEnds(runs));
  jobs.forEach((job, index) => {
    const end = ends[index] ?? { is: 'open' };
    if (end.is !== 'open') takeEnd(run, job, end);
    else if (isEnding) recheckSoon(run, job);
  });
}

/** In bytes, of all jobs: links are carried from run to run. The project has all results. */
const LARGEST_LINKS = 300_000;

export function fitLinks(jobs: readonly Pick<CampaignJob, 'links'>[], links: string[]): string[] {
  let room = LARGEST_LINKS - bytesOf(jobs.map((job) => job.links));
  return links.filter((link) => (room -= bytesOf(link)) >= 0);
}

/** In bytes of JSON: a thousand errors are carried from run to run. */
const LONGEST_ERROR = 250;

export function truncate(text: string): string {
  let room = LONGEST_ERROR - bytesOf('');
  let kept = '';
  for (const sign of text) {
    room -= bytesOf(sign) - bytesOf('');
    if (room < 0) return `${kept}…`;
    kept += sign;
  }
  return text;
}

const CANCELLED_WHILE_HELD = 'cancelled while nobody knew whether the service had taken it';

function takeEnd(run: Campaign, job: CampaignJob, end: Exclude<JobEnd, { is: 'open' }>): void {
  const wasHeld = job.status === 'held';
  forgetEnding(run, job);
  if ('taskId' in end && end.taskId !== null) job.taskId = end.taskId;
  if (end.is === 'succeeded') {
    job.links = fitLinks(run.progress.jobs, end.links);
    endJob(run, job, 'succeeded');
  } else if ('error' in end) {
    const isUncertain = wasHeld && end.is === 'cancelled' && end.taskId === null;
    endJob(run, job, end.is, truncate(isUncertain ? CANCELLED_WHILE_HELD : end.error));
  } else {
    endJob(run, job, 'failed', 'the Temporal server no longer knows its run');
  }
}

/** A job that a previous run started signals its end, unless it is terminated. */
const CHECK_EVERY_MS = 3_600_000;
/** For a job that signalled its end, and was still open when it was read. */
const RECHECK_MS = 60_000;

type Supervised = Pick<Campaign, 'progress' | 'ended' | 'children' | 'checks'>;

/** In milliseconds; undefined where every open job is a child of this run. Signals of jobs do not delay it. */
export function nextCheck({ progress, children, checks }: Supervised): number | undefined {
  const others = progress.jobs.filter((job) => isOpen(job) && !children.has(job.name));
  if (others.length === 0) return undefined;
  const isEnding = others.some(({ name }) => progress.ending?.includes(name));
  return Math.min(checks.lastAt + CHECK_EVERY_MS, isEnding ? checks.againAt : Infinity);
}

/** Checks all open jobs, or only those that signalled their end. */
export function check(run: Supervised): void {
  if (Date.now() >= run.checks.lastAt + CHECK_EVERY_MS) checkOpen(run);
  else checkEnding(run);
}

/** Of the previous run: what was due is checked now, everything else when it would have been. */
export function resumeChecks(run: Supervised): void {
  if (run.progress.lookedAt === undefined) checkOpen(run);
  else checkEnding(run);
}

/** The signal of a job's end may have been lost. */
export function checkOpen(run: Supervised): void {
  checkEnding(run);
  for (const { name } of run.progress.jobs.filter(isOpen)) checkJob(run, name);
  run.checks.lastAt = Date.now();
}

function checkEnding({ progress, ended }: Supervised): void {
  for (const { name } of progress.jobs.filter(isOpen))
    if (progress.ending?.includes(name)) ended.set(name, 'ends');
  progress.ending = undefined;
}

export function checkJob({ ended }: Pick<Campaign, 'ended'>, name: string): void {
  if (!ended.has(name)) ended.set(name, 'may have');
}

/** The job signalled its end, and is still open: it is checked again in a minute, by this run or the next. */
export function recheckSoon({ progress, checks }: Supervised, { name }: CampaignJob): void {
  const before = progress.ending ?? [];
  if (before.length === 0) checks.againAt = Date.now() + RECHECK_MS;
  progress.ending = [...new Set([...before, name])];
}

/** Its end was read, or a new run of the job starts. */
export function forgetEnding({ progress, ended }: Supervised, { name }: CampaignJob): void {
  ended.delete(name);
  progress.ending = progress.ending?.filter((one) => one !== name);
}
