/** How a campaign learns of its jobs: by their signals, and by checks of those that are silent. */
import { CancellationScope, condition } from '@temporalio/workflow';
import { isIdText } from '../../api/scope';
import { type CampaignJob, type JobEnd, jobNewsSignal } from '../../contract';
import { bytesOf, truncateBytes } from '../../api/json';
import { onSignal } from '../lib/listeners';
import { CHECK_EVERY_MS, ENDS, readManyEnds, RECHECK_MS } from '../lib/otherRuns';
import { type Campaign, isOpen, setStatus } from './state';
import { endJob, publish } from './status';

const RUNS: ReadonlySet<unknown> = new Set(['polling', 'submitting', 'waiting']);

export function handleReports(run: Campaign): void {
  const description = 'What one of its jobs is at: { workflowId, stage, taskId }.';
  onSignal(jobNewsSignal, description, ({ workflowId, stage, taskId }) => {
    const job = run.progress.jobs.find((one) => one.workflowId === workflowId && isOpen(one));
    if (!job) return;
    if (isIdText(taskId)) job.taskId = taskId;
    if (stage === 'held' || stage === 'overdue') setStatus(job, stage);
    else if (RUNS.has(stage)) setStatus(job, 'running');
    else if (ENDS.has(stage)) addEnding(run, job.name);
    else return;
    publish(run);
  });
}

type Supervised = Pick<Campaign, 'progress' | 'due' | 'children'>;

/** A job signals its end once: the next run knows it, too, until the end is read. */
export function addEnding({ progress, due }: Pick<Supervised, 'progress' | 'due'>, name: string): void {
  if (!progress.ending.includes(name)) progress.ending.push(name);
  due.add(name);
}

/** Its end was read, or a new run of the job starts. */
export function forgetEnding({ progress, due }: Supervised, { name }: CampaignJob): void {
  due.delete(name);
  progress.ending = progress.ending.filter((one) => one !== name);
}

export async function untilChange(run: Campaign, isWork: () => boolean): Promise<void> {
  const isThere = (): boolean => run.due.size > 0 || isWork() || run.mayContinue();
  const checkAt = nextCheck(run);
  if (checkAt === undefined) return condition(isThere);
  if (!(await condition(isThere, Math.max(1, checkAt - Date.now())))) check(run);
}

/** In milliseconds; undefined where every open job is a child of this run. Signals of jobs do not delay it. */
export function nextCheck({ progress, children }: Supervised): number | undefined {
  const isSilent = progress.jobs.some((job) => isOpen(job) && !children.has(job.name));
  return isSilent ? Date.parse(progress.nextCheckAt) : undefined;
}

export function check({ progress, due }: Supervised): void {
  for (const { name } of progress.jobs.filter(isOpen)) due.add(name);
  progress.nextCheckAt = new Date(Date.now() + CHECK_EVERY_MS).toISOString();
}

/** A job that signalled its end was still open. */
export function checkSoon({ progress }: Pick<Supervised, 'progress'>): void {
  const soon = Math.min(Date.parse(progress.nextCheckAt), Date.now() + RECHECK_MS);
  progress.nextCheckAt = new Date(soon).toISOString();
}

export async function readEnds(run: Campaign): Promise<void> {
  const { jobs, ending } = run.progress;
  const due = jobs.filter((job) => run.due.has(job.name) && isOpen(job));
  run.due.clear();
  const isEnding = ({ name }: CampaignJob): boolean => ending.includes(name);
  const runs = due.map((job) => ({ workflowId: job.workflowId ?? '', isEnding: isEnding(job) }));
  const ends = await CancellationScope.nonCancellable(() => readManyEnds(runs));
  for (const [index, job] of due.entries()) {
    const end = ends[index] ?? { is: 'open' };
    if (end.is !== 'open') takeEnd(run, job, end);
    else if (isEnding(job)) checkSoon(run);
  }
}

/** In bytes, of all jobs: links are carried from run to run. The project has all results. */
const LARGEST_LINKS = 300_000;

export function fitLinks(jobs: readonly Pick<CampaignJob, 'links'>[], links: string[]): string[] {
  let room = LARGEST_LINKS - bytesOf(jobs.map((job) => job.links));
  return links.filter((link) => (room -= bytesOf(link)) >= 0);
}

/** In bytes of JSON: a thousand errors are carried from run to run. */
const LONGEST_ERROR = 250;

export function truncateError(text: string): string {
  return truncateBytes(text, LONGEST_ERROR);
}

const CANCELLED_WHILE_HELD = 'cancelled while held: the service may have accepted it';

function takeEnd(run: Campaign, job: CampaignJob, end: Exclude<JobEnd, { is: 'open' }>): void {
  const wasHeld = job.status === 'held';
  forgetEnding(run, job);
  if ('taskId' in end && end.taskId !== null) job.taskId = end.taskId;
  if (end.is === 'succeeded') {
    job.links = fitLinks(run.progress.jobs, end.links);
    endJob(run, job, 'succeeded');
  } else if ('error' in end) {
    const isUncertain = wasHeld && end.is === 'cancelled' && end.taskId === null;
    endJob(run, job, end.is, truncateError(isUncertain ? CANCELLED_WHILE_HELD : end.error));
  } else {
    endJob(run, job, 'failed', 'the Temporal server no longer knows its run');
  }
}
