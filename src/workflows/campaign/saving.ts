/** Keeps the campaign's place in the project's data true. */
import { CancellationScope, condition, isCancellation, log, uuid4, workflowInfo } from '@temporalio/workflow';
import { LONGEST_CHANGE } from '../../contract/changes';
import { type CampaignJob, type ChangeOutcome, type Step } from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';
import { outcomeUnlessKept, type WriteOptions, writeToProject } from '../steps/write';
import { type Campaign, isOpen, isOver, jobNamed } from './run';
import { waitsFor } from './words';

/** Leaves room for what stands around the values. */
const LARGEST_SAVE = LONGEST_CHANGE - 50_000;

/** In a job's place: what became of its last repeat, where that gave no result. The earlier one stands around it. */
export const REPEAT = 'repeat';

/**
 * Has a part of the project written, some time soon: what changes while a write is on its way goes out with the next.
 * Parts are `configuration`, `lifecycle`, `research`, `approvals`, and jobs that no run of their own writes
 * (`media/banner`, `waits/teaser`).
 */
export function save(run: Campaign, part: string): void {
  run.saves.ordered += 1;
  if (!run.unsaved.has(part)) run.unsaved.set(part, run.saves.ordered);
  if (run.saving || run.place !== 'ours') return;
  run.saving = true;
  void CancellationScope.nonCancellable(() => saveUnsaved(run));
}

/** What the project did not take is tried again when the campaign moves on: the trouble may be mended. */
export function saveRefused(run: Campaign): void {
  for (const part of run.refused.keys()) save(run, part);
}

/** When it knows that the place is its own: what the run before this one had not saved yet is not known. */
export function saveAll(run: Campaign): void {
  const { progress } = run;
  run.place = 'ours';
  if (!run.input.carried || Object.keys(progress.added).length > 0) save(run, 'configuration');
  if (progress.research) save(run, 'research');
  if (progress.decisions.length > 0) save(run, 'approvals');
  for (const job of progress.jobs) if (isOver(job)) saveJob(run, job);
  save(run, 'lifecycle');
}

/** How a job ended that no run of its own writes. */
export function saveJob(run: Campaign, job: CampaignJob): void {
  if (!isWrittenElsewhere(job)) save(run, partOf(run, job.name));
}

/** Whether everything is in the project that was to be by now; what comes in the meantime is not waited for. */
export async function untilSaved(run: Campaign): Promise<ChangeOutcome> {
  const last = run.saves.ordered;
  const isSaved = (): boolean => Math.min(run.saves.onTheWay, ...run.unsaved.values()) > last;
  await condition(() => !run.saving || isSaved());
  const error = notSaved(run);
  return error === null ? { ok: true } : { ok: false, error };
}

/**
 * For a campaign that is about to leave: hands over whatever the project does not show yet, and stays until the writer
 * has it. A save on its way may wait for as long as the service takes no PATCH. It is called back, and its parts go with
 * the others: asked for again, it would undo them.
 */
export async function leaveToWriter(run: Campaign): Promise<void> {
  run.saves.isLeaving = true;
  run.saves.callBack();
  await condition(() => !run.saving);
  // What changes meanwhile goes with the next round.
  run.saving = true;
  while (run.unsaved.size > 0 && run.place === 'ours') {
    const round = new CancellationScope();
    await round.run(() => Promise.all(takeAll(run).map((taken) => handOver(run, taken))));
    round.cancel();
  }
  run.saving = false;
}

async function handOver(run: Campaign, taken: Taken): Promise<void> {
  const outcome = await outcomeUnlessKept((onAck) => write(run, taken.steps, { onAck }));
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
  while (run.unsaved.size > 0 && run.place === 'ours' && !run.saves.isLeaving) {
    const taken = takeSteps(run);
    const outcome = await unlessCalledBack(run, () => write(run, taken.steps));
    run.saves.onTheWay = Infinity;
    if (!outcome) {
      for (const [part, order] of taken.parts) run.unsaved.set(part, order);
      break;
    }
    note(run, taken, outcome);
  }
  // At once: what is to be saved between the last look and this would wait for the next change.
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
  { input, mailbox }: Campaign,
  steps: Step[],
  options: WriteOptions = {},
): Promise<ChangeOutcome> {
  // Not the same after a reset: what is written then is another state.
  const changeId = changeIdOf(workflowInfo().workflowId, uuid4());
  try {
    const { project, scope } = input;
    return await writeToProject(mailbox, { project, scope, change: { steps }, changeId }, options);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { ok: false, error: String(error) };
  }
}

/** What goes out with one change: its parts, by the number of the order. */
interface Taken {
  parts: Map<string, number>;
  steps: Step[];
}

function takeAll(run: Campaign): Taken[] {
  const all: Taken[] = [];
  while (run.unsaved.size > 0) all.push(takeSteps(run));
  return all;
}

/** As many parts as one change takes; the rest go with the next. */
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
    const at = `${run.at}/${placeOf(run, part)}`;
    steps.push(isRecord(set) && isBesideOthers(run, part) ? { at, merge: set } : { at, set });
    parts.set(part, order);
    run.unsaved.delete(part);
    run.saves.onTheWay = Math.min(run.saves.onTheWay, order);
  }
  return { parts, steps };
}

/** Another campaign looks whose place it is, however much is kept there. */
function shortOf({ input }: Campaign, part: string, size: number): object {
  const whose = part === 'configuration' ? { key: input.key } : {};
  return { ...whose, tooLarge: size, see: `the run ${workflowInfo().workflowId}` };
}

/** A run that was stopped may have written its result just before: what is said of its end stands beside that. */
function isBesideOthers(run: Campaign, part: string): boolean {
  const job = part.includes('/') ? jobNamed(run, nameIn(part)) : undefined;
  return job !== undefined && job.kind !== 'wait' && job.workflowId !== null;
}

function placeOf(run: Campaign, part: string): string {
  const job = part.includes('/') ? jobNamed(run, nameIn(part)) : undefined;
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

/** Lists where things come and go: who reads the project sees no member of an object vanish. */
function lifecycleOf(run: Campaign) {
  const { stage, since, history, remarks, jobs, paused } = run.progress;
  // Whoever finds this campaign stopped for good finds here what the service still works on.
  const open = jobs
    .filter(isOpen)
    .map(({ name, workflowId, taskId, status }) => ({ name, workflowId, taskId, status }));
  return { stage, since, paused, waitsFor: waitsFor(run)?.what ?? null, open, history, remarks };
}

function jobOf(run: Campaign, name: string): unknown {
  const job = jobNamed(run, name);
  if (!job) return null;
  const { kind, status, error, workflowId, taskId, links, since } = job;
  const record = kind === 'wait' ? { ...run.input.waits?.[name], workflowId } : {};
  const task = isStopped(job) && kind !== 'wait' ? { workflowId, taskId } : {};
  return { ...record, ...task, status, ...(error === null ? {} : { error }), links, finishedAt: since };
}

/**
 * Whether the job's own run writes how it ended: media and transcripts do, once they have begun, unless somebody stops
 * them.
 */
function isWrittenElsewhere(job: CampaignJob): boolean {
  return job.kind !== 'wait' && job.workflowId !== null && !isStopped(job);
}

/** Whether its run could not write what became of it, or did not know of a task. */
function isStopped({ status, taskId }: CampaignJob): boolean {
  return status === 'terminated' || (status === 'cancelled' && taskId === null);
}

/** Where a job stands in the campaign's place. */
export function partOf(run: Campaign, name: string): string {
  const kind = jobNamed(run, name)?.kind ?? 'media';
  return `${{ media: 'media', transcript: 'transcripts', wait: 'waits' }[kind]}/${name}`;
}
