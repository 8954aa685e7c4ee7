/** What a campaign learns of its jobs. */
import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { bytesOf } from '../../validation/campaign';
import { type CampaignJob, END_STAGES, type JobEnd, jobNewsSignal } from '../../contract';
import { isRecord } from '../../validation/inputs';
import { readManyEnds } from '../lib/otherRuns';
import { mayContinue } from './continuing';
import { forgetEnding, goOnLooking, linger, look, nextLook } from './looking';
import { type Campaign, isOpen, setStatus } from './run';
import { saveJob } from './saving';
import { noteChange } from './stage';

/** How one says that it runs, or runs again after a person decided. */
const RUNS: ReadonlySet<unknown> = new Set(['polling', 'submitting', 'waiting']);

/** How a job that ends says so. It says it just before. */
const ENDS: ReadonlySet<unknown> = new Set(END_STAGES);

export function handleJobNews(run: Campaign): void {
  setHandler(
    jobNewsSignal,
    (news: unknown) => {
      if (isRecord(news)) takeNews(run, news);
    },
    { description: 'What one of its jobs is at: { workflowId, stage, taskId }.' },
  );
  // What came to the run before this one, and was not acted on yet.
  if (run.input.carried) goOnLooking(run);
}

function takeNews(run: Campaign, { workflowId, stage, taskId }: Record<string, unknown>): void {
  const job = run.progress.jobs.find((one) => one.workflowId === workflowId && isOpen(one));
  if (!job) return;
  if (typeof taskId === 'string') job.taskId = taskId;
  if (stage === 'held' || stage === 'overdue') setStatus(job, stage);
  else if (RUNS.has(stage)) setStatus(job, 'running');
  else if (ENDS.has(stage)) run.ended.set(job.name, 'ends');
  else return;
  noteChange(run);
}

/** Waits until there is something to act on. */
export async function untilNews(run: Campaign, isWork: () => boolean): Promise<void> {
  const isThere = (): boolean => run.ended.size > 0 || isWork() || mayContinue(run);
  const lookAt = nextLook(run);
  if (lookAt === undefined) return condition(isThere);
  if (!(await condition(isThere, Math.max(1, lookAt - Date.now())))) look(run);
}

/** Reads how those jobs ended that are said to be over. */
export async function readEnds(run: Campaign): Promise<void> {
  const ended = new Map(run.ended);
  run.ended.clear();
  const jobs = run.progress.jobs.filter((job) => ended.has(job.name) && isOpen(job));
  const isEnding = ({ name }: CampaignJob): boolean => ended.get(name) === 'ends';
  const ending = jobs.filter(isEnding);
  const silent = jobs.filter((job) => !isEnding(job));
  // One that takes its time to end keeps nobody from knowing of the others; when all are to end, nobody waits for that.
  const lists = run.cancelling ? [ending] : ending.map((job) => [job]);
  await Promise.all([...lists.map((list) => readEndsOf(run, list, true)), readEndsOf(run, silent, false)]);
}

async function readEndsOf(run: Campaign, jobs: CampaignJob[], isEnding: boolean): Promise<void> {
  const orders = jobs.map(({ workflowId }) => ({ workflowId: workflowId ?? '', isEnding }));
  const ends = await CancellationScope.nonCancellable(() => readManyEnds(orders));
  jobs.forEach((job, index) => {
    const end = ends[index] ?? { is: 'open' };
    if (end.is !== 'open') takeEnd(run, job, end);
    else if (isEnding) linger(run, job);
  });
}

/**
 * In bytes, of all jobs: they are handed over from run to run, and stand in the status and in the result. Results
 * are in the project, whatever is shown of them here.
 */
const LARGEST_LINKS = 300_000;

/** As many of them as there is room for. */
export function withRoom(jobs: readonly Pick<CampaignJob, 'links'>[], links: string[]): string[] {
  let room = LARGEST_LINKS - bytesOf(jobs.map((job) => job.links));
  return links.filter((link) => (room -= bytesOf(link)) >= 0);
}

/** In bytes of JSON: a thousand of them are handed over from run to run. */
const LONGEST_ERROR = 250;

export function shortened(words: string): string {
  let room = LONGEST_ERROR - bytesOf('');
  let kept = '';
  for (const sign of words) {
    room -= bytesOf(sign) - bytesOf('');
    if (room < 0) return `${kept}…`;
    kept += sign;
  }
  return words;
}

const CANCELLED_WHILE_HELD = 'cancelled while nobody knew whether the service had taken it';

function takeEnd(run: Campaign, job: CampaignJob, end: Exclude<JobEnd, { is: 'open' }>): void {
  const wasHeld = job.status === 'held';
  forgetEnding(run, job);
  if ('taskId' in end && end.taskId !== null) job.taskId = end.taskId;
  if (end.is === 'succeeded') {
    job.links = withRoom(run.progress.jobs, end.links);
    setStatus(job, 'succeeded');
  } else if ('error' in end) {
    const isUncertain = wasHeld && end.is === 'cancelled' && end.taskId === null;
    setStatus(job, end.is, shortened(isUncertain ? CANCELLED_WHILE_HELD : end.error));
  } else {
    setStatus(job, 'failed', 'the Temporal server no longer knows its run');
  }
  saveJob(run, job);
  noteChange(run);
}
