/** Looks at jobs that tell nothing: they were stopped, or told their end once, before they had ended. */
import { type CampaignJob } from '../../contract';
import { type Campaign, isOpen } from './run';

/** A job whose run was begun before this run of the campaign tells its end itself, unless it is terminated. */
const LOOK_EVERY_MS = 3_600_000;
/** The same for one that said that it ends, and did not yet when its end was read. */
const LOOK_AGAIN_MS = 60_000;

type Looking = Pick<Campaign, 'progress' | 'ended' | 'attended' | 'looks'>;

/**
 * When that is due, in milliseconds; undefined where the server tells this run the end of every open job. What others
 * tell in the meantime does not put it off.
 */
export function nextLook({ progress, attended, looks }: Looking): number | undefined {
  const unattended = progress.jobs.filter((job) => isOpen(job) && !attended.has(job.name));
  if (unattended.length === 0) return undefined;
  const isEnding = unattended.some(({ name }) => progress.ending?.includes(name));
  return Math.min(looks.lastAt + LOOK_EVERY_MS, isEnding ? looks.againAt : Infinity);
}

/** At all that are open, or only at those that said that they end. */
export function look(run: Looking): void {
  if (Date.now() >= run.looks.lastAt + LOOK_EVERY_MS) lookAtOpen(run);
  else lookAtEnding(run);
}

/** A run that continues another: what is due is looked at now, and everything else when that one would have. */
export function goOnLooking(run: Looking): void {
  if (run.progress.lookedAt === undefined) lookAtOpen(run);
  else lookAtEnding(run);
}

/** For the next run: when all were looked at last; undefined where it is to look at once. */
export function lastLook({ ended, looks }: Looking): string | undefined {
  const isDue = [...ended.values()].includes('may have');
  return isDue ? undefined : new Date(looks.lastAt).toISOString();
}

/** One that said that it ends is known to; of the others somebody may have had no word. */
export function lookAtOpen(run: Looking): void {
  lookAtEnding(run);
  for (const { name } of run.progress.jobs.filter(isOpen)) mayHaveEnded(run, name);
  run.looks.lastAt = Date.now();
}

function lookAtEnding({ progress, ended }: Looking): void {
  for (const { name } of progress.jobs.filter(isOpen))
    if (progress.ending?.includes(name)) ended.set(name, 'ends');
  progress.ending = undefined;
}

/** It is looked at, whether or not it said anything. */
export function mayHaveEnded({ ended }: Pick<Campaign, 'ended'>, name: string): void {
  if (!ended.has(name)) ended.set(name, 'may have');
}

/** It said that it ends, and will: the next look, in this run or another, waits for that again. */
export function linger({ progress, looks }: Looking, { name }: CampaignJob): void {
  const before = progress.ending ?? [];
  if (before.length === 0) looks.againAt = Date.now() + LOOK_AGAIN_MS;
  progress.ending = [...new Set([...before, name])];
}

/** What it said was acted on, or was said of another run than the one that does it now. */
export function forgetEnding({ progress, ended }: Looking, { name }: CampaignJob): void {
  ended.delete(name);
  progress.ending = progress.ending?.filter((one) => one !== name);
}
