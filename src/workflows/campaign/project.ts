/** Keeps the campaign's state in the project's data up to date. */
import { CancellationScope, condition, isCancellation, log, uuid4, workflowInfo } from '@temporalio/workflow';
import { LONGEST_CHANGE } from '../../contract/changes';
import { type CampaignJob, type ChangeOutcome, type Step } from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';
import { LEAVING_PATIENCE_MS, type WriteOptions, writeToProject } from '../steps/write';
import { type Campaign, isOpen, isOver } from './state';
import { waitsFor } from './status';

/** Leaves room for the JSON around the values. */
const LARGEST_SAVE = LONGEST_CHANGE - 50_000;

/** Key of a job's record: how its last repeat ended, beside the earlier result. */
export const REPEAT = 'repeat';

/**
 * Requests a write of one part; changes during a write go with the next one. Parts are `configuration`, `lifecycle`, `research`, `approvals`, and jobs that no run of their own writes
 * (`media/banner`, `waits/teaser`).
 */
export function save(run: Campaign, part: string): void {
  run.saves.requested += 1;
  if (!run.unsaved.has(part)) run.unsaved.set(part, run.saves.requested);
  if (run.saving || run.ownership !== 'ours') return;
  run.saving = true;
  void CancellationScope.nonCancellable(() => saveUnsaved(run));
}

/** Tried again at each stage: the trouble may be repaired. */
export function saveRefused(run: Campaign): void {
  for (const part of run.refused.keys()) save(run, part);
}

/** To be called when the path is claimed. What the previous run had not saved yet is unknown, so it saves all. */
export function saveAll(run: Campaign): void {
  const { progress } = run;
  run.ownership = 'ours';
  if (!run.input.carried || Object.keys(progress.added).length > 0) save(run, 'configuration');
  if (progress.research) save(run, 'research');
  if (progress.decisions.length > 0) save(run, 'approvals');
  for (const job of progress.jobs) if (isOver(job)) saveJob(run, job);
  save(run, 'lifecycle');
}

/** Media and transcript jobs mostly write their end themselves. */
export function saveJob(run: Campaign, job: CampaignJob): void {
  if (!isWrittenElsewhere(job)) save(run, partOf(run, job.name));
}

/** Waits for what was requested so far, not for later requests. */
export async function untilSaved(run: Campaign): Promise<ChangeOutcome> {
  const last = run.saves.requested;
  const isSaved = (): boolean => Math.min(run.saves.inFlight, ...run.unsaved.values()) > last;
  await condition(() => !run.saving || isSaved());
  const error = notSaved(run);
  return error === null ? { ok: true } : { ok: false, error };
}

/**
 * For a cancelled campaign: returns when the project's writer has every part, written or not. A save in flight may wait
 * for as long as the service takes no PATCH: it is called back, and its parts go with the others.
 */
export async function handOverToWriter(run: Campaign): Promise<void> {
  run.saves.isHandingOver = true;
  run.saves.callBack();
  await condition(() => !run.saving);
  run.saving = true;
  while (run.unsaved.size > 0 && run.ownership === 'ours') {
    const round = new CancellationScope();
    await round.run(() => Promise.all(takeAll(run).map((taken) => handOver(run, taken))));
    round.cancel();
  }
  run.saving = false;
}

async function handOver(run: Campaign, taken: Taken): Promise<void> {
  const outcome = await write(run, taken.steps, { leaveAfterMs: LEAVING_PATIENCE_MS });
  if (!outcome) return;
  note(run, taken, outcome);
  if (!outcome.ok) log.warn('the project does not know how the campaign ended', outcome);
}

/** Which parts the project did not take, and why. */
export function notSaved({ refused }: Campaign): string | null {
  const whys = [...new Set(refused.values())];
  const parts = (why: string): string[] => [...refused].flatMap(([part, its]) => (its === why ? [part] : []));
  return whys.length === 0 ? null : whys.map((why) => `${parts(why).join(', ')}: ${why}`).join('; ');
}

async function saveUnsaved(run: Campaign): Promise<void> {
  while (run.unsaved.size > 0 && run.ownership === 'ours' && !run.saves.isHandingOver) {
    const taken = takeSteps(run);
    const outcome = await unlessCalledBack(run, () => write(run, taken.steps));
    run.saves.inFlight = Infinity;
    if (!outcome) {
      for (const [part, order] of taken.parts) run.unsaved.set(part, order);
      break;
    }
    note(run, taken, outcome);
  }
  // Without an await after the last check: a request in between would be forgotten.
  run.saving = false;
}

async function unlessCalledBack<Outcome>(
  { saves }: Campaign,
  work: () => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const working = new CancellationScope();
  saves.callBack = () => {
    working.cancel();
  };
  try {
    return await working.run(work);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    return undefined;
  }
}

function note({ refused }: Campaign, { parts }: Taken, outcome: ChangeOutcome): void {
  for (const part of parts.keys()) {
    if (outcome.ok) refused.delete(part);
    else refused.set(part, outcome.error);
  }
}

async function write(
  { input, writerReplies }: Campaign,
  steps: Step[],
  options: WriteOptions = {},
): Promise<ChangeOutcome | undefined> {
  // Random: after a reset another state is written.
  const changeId = changeIdOf(workflowInfo().workflowId, uuid4());
  try {
    const { project, scope } = input;
    return await writeToProject(writerReplies, { project, scope, change: { steps }, changeId }, options);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { ok: false, error: String(error) };
  }
}

/** One change: its parts, by the number of the request. */
interface Taken {
  parts: Map<string, number>;
  steps: Step[];
}

function takeAll(run: Campaign): Taken[] {
  const all: Taken[] = [];
  while (run.unsaved.size > 0) all.push(takeSteps(run));
  return all;
}

function takeSteps(run: Campaign): Taken {
  const parts: Taken['parts'] = new Map();
  const steps: Step[] = [];
  let room = LARGEST_SAVE;
  for (const [part, order] of [...run.unsaved]) {
    const value = valueOf(run, part);
    const size = JSON.stringify(value).length;
    const set = size > LARGEST_SAVE ? shortOf(run, part, size) : value;
    room -= Math.min(size, LARGEST_SAVE);
    if (room < 0 && steps.length > 0) break;
    const at = `${run.at}/${pathOf(run, part)}`;
    steps.push(isRecord(set) && isBesideOthers(run, part) ? { at, merge: set } : { at, set });
    parts.set(part, order);
    run.unsaved.delete(part);
    run.saves.inFlight = Math.min(run.saves.inFlight, order);
  }
  return { parts, steps };
}

/** Another campaign reads the key to see whose path it is. */
function shortOf({ input }: Campaign, part: string, size: number): object {
  const whose = part === 'configuration' ? { key: input.key } : {};
  return { ...whose, tooLarge: size, see: `the run ${workflowInfo().workflowId}` };
}

/** A terminated job may have written its result just before: its end is merged into that. */
function isBesideOthers(run: Campaign, part: string): boolean {
  const job = part.includes('/') ? run.job(nameIn(part)) : undefined;
  return job !== undefined && job.kind !== 'wait' && job.workflowId !== null;
}

function pathOf(run: Campaign, part: string): string {
  const job = part.includes('/') ? run.job(nameIn(part)) : undefined;
  return job && job.repeats > 0 ? `${part}/${REPEAT}` : part;
}

function nameIn(part: string): string {
  return part.slice(part.indexOf('/') + 1);
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
      return jobOf(run, nameIn(part));
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

function jobOf(run: Campaign, name: string): unknown {
  const job = run.job(name);
  if (!job) return null;
  const { kind, status, error, workflowId, taskId, links, since } = job;
  const record = kind === 'wait' ? { ...run.input.waits?.[name], workflowId } : {};
  const task = isStopped(job) && kind !== 'wait' ? { workflowId, taskId } : {};
  return { ...record, ...task, status, ...(error === null ? {} : { error }), links, finishedAt: since };
}

/** Media and transcript jobs write how they ended, once they have started and unless somebody stops them. */
function isWrittenElsewhere(job: CampaignJob): boolean {
  return job.kind !== 'wait' && job.workflowId !== null && !isStopped(job);
}

/** Its run could not write its end, or had no task to write. */
function isStopped({ status, taskId }: CampaignJob): boolean {
  return status === 'terminated' || (status === 'cancelled' && taskId === null);
}

/** The path of a job below the campaign's. */
export function partOf(run: Campaign, name: string): string {
  const kind = run.job(name)?.kind ?? 'media';
  return `${{ media: 'media', transcript: 'transcripts', wait: 'waits' }[kind]}/${name}`;
}
