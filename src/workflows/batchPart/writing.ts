/** What became of items: kept here, and written to their projects, together where they share one. */
import { CancellationScope, uuid4, workflowInfo } from '@temporalio/workflow';
import { type ProjectRef, type Scope, type Step } from '../../contract';
import { changeIdOf } from '../../ids';
import { writeToProject } from '../write';
import { noteNotice } from './notices';
import { type Entry, entryAt, type Partition } from './run';

export function keepResult(run: Partition, entry: Entry, info: unknown): void {
  entry.known.status = 'succeeded';
  entry.known.info = info;
  keep(run, entry, { info });
}

export function keepFailure(run: Partition, entry: Entry, error: string): void {
  entry.known.status = 'failed';
  entry.known.error = error;
  keep(run, entry, { status: 'failed', error });
}

/** The project knows it first, then the user. */
function keep(run: Partition, entry: Entry, what: Record<string, unknown>): void {
  if (entry.asked.write) save(run, entry, what);
  else noteNotice(entry);
}

function finish(run: Partition, place: number, error: string | undefined): void {
  const entry = entryAt(run, place);
  entry.known.unwritten = error;
  if (entry.known.status !== 'cancelled') noteNotice(entry);
}

/** Whoever wants its task later finds it in the project. */
export function recordCancelled(run: Partition, place: number): void {
  const entry = entryAt(run, place);
  if (entry.known.taskId !== undefined) save(run, entry, { status: 'cancelled' });
}

/** What is to be written to one project. */
interface Letter {
  project: ProjectRef;
  scope?: Scope;
  steps: PlacedStep[];
}

interface PlacedStep {
  place: number;
  step: Step;
}

/** Those that are written at the moment, by project. */
export type Letters = Map<string, Letter>;

/** Of one change, in characters of JSON: a writer's queue holds those of six partitions that share a project. */
const LONGEST_CHANGE = 64_000;

function save(run: Partition, { place, asked, known }: Entry, what: Record<string, unknown>): void {
  if (!asked.write) return;
  const { project, at, failedAt } = asked.write;
  const facts = { key: asked.key, taskId: known.taskId ?? null };
  const step = {
    at: known.status === 'succeeded' ? at : (failedAt ?? at),
    set: { ...facts, ...what, finishedAt: new Date().toISOString() },
  };
  run.writes += 1;
  const address = JSON.stringify([project.resourcetype, project.id, asked.scope ?? null]);
  const open = run.letters.get(address);
  if (open) {
    open.steps.push({ place, step });
    return;
  }
  const letter = { project, scope: asked.scope, steps: [{ place, step }] };
  run.letters.set(address, letter);
  void CancellationScope.nonCancellable(() => send(run, address, letter));
}

/** What is settled while one is on its way goes with the next. */
async function send(run: Partition, address: string, { project, scope, steps }: Letter): Promise<void> {
  // After all that is settled in the same moment.
  await Promise.resolve();
  while (steps.length > 0) {
    const some = steps.splice(0, howManyFit(steps));
    await writeAll(run, project, scope, some);
    run.writes -= some.length;
  }
  // In the same moment as the last look: what is saved from now on is another letter.
  run.letters.delete(address);
}

function howManyFit(steps: PlacedStep[]): number {
  let length = 0;
  const tooMany = steps.findIndex(({ step }) => (length += JSON.stringify(step).length) > LONGEST_CHANGE);
  return tooMany === -1 ? steps.length : Math.max(tooMany, 1);
}

/** Where they are refused together, one bad one among good ones is found by halves, and refused alone. */
async function writeAll(
  run: Partition,
  project: ProjectRef,
  scope: Scope | undefined,
  steps: PlacedStep[],
): Promise<void> {
  const error = await write(project, scope, steps);
  if (error === undefined || steps.length === 1) {
    for (const { place } of steps) finish(run, place, error);
    return;
  }
  const half = Math.ceil(steps.length / 2);
  await writeAll(run, project, scope, steps.slice(0, half));
  await writeAll(run, project, scope, steps.slice(half));
}

async function write(
  project: ProjectRef,
  scope: Scope | undefined,
  steps: PlacedStep[],
): Promise<string | undefined> {
  // Not the same after a reset: what is written together then is something else.
  const changeId = changeIdOf(workflowInfo().workflowId, uuid4());
  const outcome = await writeToProject(project, scope, { steps: steps.map(({ step }) => step) }, changeId);
  return outcome.ok ? undefined : outcome.error;
}
