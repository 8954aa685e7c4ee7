/** Keeps the campaign's state in the project's data up to date. */
import { CancellationScope, condition, log, uuid4, workflowInfo } from '@temporalio/workflow';
import { LONGEST_CHANGE } from '../../contract/changes';
import { type CampaignJob, type ChangeOutcome, type Step } from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { writeToProject } from '../steps/write';
import { type Campaign, isOpen, isOver, waitsFor } from './state';

/** Leaves room for the JSON around the values. */
const LARGEST_SAVE = LONGEST_CHANGE - 50_000;

/** Key of a job's record: how its last repeat ended, beside the earlier result. */
export const REPEAT = 'repeat';

/**
 * Requests a write of one part; changes during a write go with the next one. Parts are `configuration`, `lifecycle`,
 * `research`, `approvals`, and jobs that do not write themselves (`media/banner`, `waits/teaser`).
 */
export function save(run: Campaign, part: string): void {
  run.unsaved.add(part);
  if (run.isSaving || !run.ownsPath || run.isLeaving) return;
  void CancellationScope.nonCancellable(() => saveUnsaved(run));
}

/** Tried again at each stage, because the cause may be repaired by then. */
export function saveRefused(run: Campaign): void {
  for (const part of run.refused.keys()) save(run, part);
}

/** To be called when the path is claimed. What the previous run had not saved yet is unknown, so it saves all. */
export function saveAll(run: Campaign): void {
  const { progress } = run;
  run.ownsPath = true;
  if (!run.input.carried || Object.keys(progress.added).length > 0) save(run, 'configuration');
  if (progress.research) save(run, 'research');
  if (progress.decisions.length > 0) save(run, 'approvals');
  for (const job of progress.jobs) if (isOver(job)) saveJob(run, job);
  save(run, 'lifecycle');
}

/** Media and transcript jobs write their end themselves, if they were started and not stopped. */
export function saveJob(run: Campaign, job: CampaignJob): void {
  const isWrittenElsewhere = job.kind !== 'wait' && job.workflowId !== null && !isStopped(job);
  if (!isWrittenElsewhere) save(run, partOf(job));
}

export async function untilSaved(run: Campaign): Promise<ChangeOutcome> {
  await condition(() => !run.isSaving);
  const error = notSaved(run);
  return error === null ? { ok: true } : { ok: false, error };
}

async function saveUnsaved(run: Campaign): Promise<void> {
  run.isSaving = true;
  // Changes of the same moment are written together.
  await Promise.resolve();
  while (run.unsaved.size > 0 && run.ownsPath && !run.isLeaving) await saveSome(run);
  // Without an await after the last check: a request in between would be forgotten.
  run.isSaving = false;
}

/** For a cancelled campaign: returns when the project's writer has every part, written or not. */
export async function handOverToWriter(run: Campaign): Promise<void> {
  run.isLeaving = true;
  run.writes.leave();
  await condition(() => !run.isSaving);
  while (run.unsaved.size > 0 && run.ownsPath) await saveSome(run);
}

async function saveSome(run: Campaign): Promise<void> {
  const { parts, steps } = takeSteps(run);
  const { project, scope } = run.input;
  // Random: after a reset another state is written.
  const changeId = changeIdOf(workflowInfo().workflowId, uuid4());
  const outcome = await writeToProject(run.writes, { project, scope, change: { steps }, changeId });
  for (const part of parts) {
    if (outcome?.ok === false) run.refused.set(part, outcome.error);
    else run.refused.delete(part);
  }
  if (run.isLeaving && outcome?.ok === false)
    log.warn('the project does not know how the campaign ended', outcome);
}

export function notSaved({ refused }: Campaign): string | null {
  const whys = [...new Set(refused.values())];
  const parts = (why: string): string[] => [...refused].flatMap(([part, its]) => (its === why ? [part] : []));
  return whys.length === 0 ? null : whys.map((why) => `${parts(why).join(', ')}: ${why}`).join('; ');
}

function takeSteps(run: Campaign): { parts: string[]; steps: Step[] } {
  const [parts, steps]: [string[], Step[]] = [[], []];
  let room = LARGEST_SAVE;
  for (const part of run.unsaved) {
    const { step, size } = stepOf(run, part);
    room -= size;
    if (room < 0 && parts.length > 0) break;
    steps.push(step);
    parts.push(part);
    run.unsaved.delete(part);
  }
  return { parts, steps };
}

function stepOf(run: Campaign, part: string): { step: Step; size: number } {
  const job = part.includes('/') ? run.job(part.slice(part.indexOf('/') + 1)) : undefined;
  const at = `${run.at}/${part}${job && job.repeats > 0 ? `/${REPEAT}` : ''}`;
  const value = job ? recordOf(run, job) : valueOf(run, part);
  const size = JSON.stringify(value).length;
  // Another campaign reads the key to see whose path it is.
  const whose = part === 'configuration' ? { key: run.input.key } : {};
  const set =
    size > LARGEST_SAVE ? { ...whose, tooLarge: size, see: `the run ${workflowInfo().workflowId}` } : value;
  // A terminated job may have written its result just before: its end is merged into that.
  const isBesideOthers = job !== undefined && job.kind !== 'wait' && job.workflowId !== null;
  const step = isBesideOthers ? { at, merge: set as Record<string, unknown> } : { at, set };
  return { step, size: Math.min(size, LARGEST_SAVE) };
}

function valueOf(run: Campaign, part: string): unknown {
  const { input, progress } = run;
  switch (part) {
    case 'configuration': {
      const { carried, poll, submit, ...spec } = input;
      const { added } = progress;
      return Object.keys(added).length > 0 ? { ...spec, media: { ...spec.media, ...added } } : spec;
    }
    case 'lifecycle':
      return lifecycleOf(run);
    case 'research':
      return progress.research;
    case 'approvals':
      return progress.decisions;
    default:
      return null;
  }
}

/** Lists, not objects, for what comes and goes: a merge never removes a key. */
function lifecycleOf(run: Campaign) {
  const { stage, since, history, remarks, jobs, paused } = run.progress;
  // For people who find a terminated campaign: what the service still works on.
  const open = jobs
    .filter(isOpen)
    .map(({ name, workflowId, taskId, status }) => ({ name, workflowId, taskId, status }));
  return { stage, since, paused, waitsFor: waitsFor(run)?.what ?? null, open, history, remarks };
}

function recordOf(run: Campaign, job: CampaignJob): Record<string, unknown> {
  const { name, kind, status, error, workflowId, taskId, links, since } = job;
  const record = kind === 'wait' ? { ...run.input.waits?.[name], workflowId } : {};
  const task = isStopped(job) && kind !== 'wait' ? { workflowId, taskId } : {};
  return { ...record, ...task, status, ...(error === null ? {} : { error }), links, finishedAt: since };
}

/** Its run could not write its end, or had no task to write. */
function isStopped({ status, taskId }: CampaignJob): boolean {
  return status === 'terminated' || (status === 'cancelled' && taskId === null);
}

/** The path of a job below the campaign's. */
export function partOf({ kind, name }: Pick<CampaignJob, 'kind' | 'name'>): string {
  return `${{ media: 'media', transcript: 'transcripts', wait: 'waits' }[kind]}/${name}`;
}
