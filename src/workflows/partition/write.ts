/** Keeps what became of items, and writes it to their projects, together where they share one. */
import { CancellationScope, uuid4, workflowInfo } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import {
  type AskedChange,
  type ChangeOutcome,
  type PendingWrite,
  type ProjectChange,
  type Saved,
  type Step,
} from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { writeTogether } from '../steps/write';
import { addNotice } from './notify';
import { type Entry, type Partition } from './state';

export function keepResult(run: Partition, entry: Entry, info: unknown): void {
  entry.known.status = 'succeeded';
  entry.known.info = info;
  keep(run, entry);
}

export function keepFailure(run: Partition, entry: Entry, error: string): void {
  entry.known.status = 'failed';
  entry.known.error = error;
  keep(run, entry);
}

/** The user is notified after the project is written. */
function keep(run: Partition, entry: Entry): void {
  if (entry.asked.write) save(run, entry);
  else addNotice(entry);
}

function finish(run: Partition, index: number, error: string | undefined): void {
  const entry = run.entry(index);
  entry.known.unwritten = error;
  if (entry.known.status !== 'cancelled') addNotice(entry);
}

/** The project names the task, which continues at the service. */
export function recordCancelled(run: Partition, index: number): void {
  const entry = run.entry(index);
  if (entry.known.taskId !== undefined) save(run, entry);
}

/** Of one change: a writer has room for those of several partitions that share a project. */
const LARGEST_CHANGE_BYTES = 64_000;

function save(run: Partition, { index, asked, known }: Entry): void {
  if (!asked.write) return;
  const { project, at, failedAt } = asked.write;
  const finishedAt = new Date().toISOString();
  const saved = { item: index, at: known.status === 'succeeded' ? at : (failedAt ?? at), finishedAt };
  const { pendingWrites } = run.progress;
  const address = JSON.stringify([project.resourcetype, project.id, asked.scope ?? null]);
  const open = pendingWrites.find((write) => write.address === address);
  if (open) open.waiting.push(saved);
  else pendingWrites.push({ address, project, scope: asked.scope, halves: [], waiting: [saved] });
  saveSoon(run);
}

/** Items that end in the same moment are asked for together. */
function saveSoon(run: Partition): void {
  if (run.isSaving) return;
  run.isSaving = true;
  void CancellationScope.nonCancellable(async () => {
    await Promise.resolve();
    run.isSaving = false;
    const ready = run.progress.pendingWrites.filter(({ asked }) => asked === undefined);
    for (const write of ready) write.asked = nextChange(run, write);
    await send(run, ready);
  });
}

/** Writes of the previous run. */
export function resumeWrites(run: Partition): void {
  const asked = run.progress.pendingWrites.filter((write) => write.asked);
  for (const write of asked)
    if (write.asked?.answer) takeOutcome(run, write, write.asked.items, write.asked.answer);
  void send(
    run,
    asked.filter((write) => write.asked),
  );
  saveSoon(run);
}

/** Replies that just arrived: the next run would ask again, and the writer may be gone by then. */
export function keepReplies({ progress, writerReplies }: Partition): void {
  for (const { asked } of progress.pendingWrites)
    if (asked) asked.answer = writerReplies.outcomeOf(asked.changeId);
}

/** The pending writes always say how far they are: another run may continue them. */
async function send(run: Partition, pending: PendingWrite[]): Promise<void> {
  const writes = pending.flatMap((write) => {
    const { project, scope, asked } = write;
    if (!asked) return [];
    const { changeId, items, state } = asked;
    const change = (): ProjectChange => ({ steps: items.map((item) => stepOf(run, item)) });
    return [{ write, items, project, scope, changeId, state, change }];
  });
  // Waiting for a writer may take days, and adds to the history.
  const onDelay = (): void => {
    run.handOverWhenLong();
  };
  await writeTogether(
    run.writerReplies,
    writes,
    ({ write, items }, outcome) => {
      takeOutcome(run, write, items, outcome);
      run.handOverWhenLong();
    },
    { onDelay },
  );
}

function nextChange(run: Partition, { halves, waiting }: PendingWrite): AskedChange | undefined {
  const items = halves.shift() ?? waiting.splice(0, howManyFit(run, waiting));
  if (items.length === 0) return undefined;
  // Random: after a reset, a change holds other items.
  return { changeId: changeIdOf(workflowInfo().workflowId, uuid4()), items, state: {} };
}

function howManyFit(run: Partition, items: Saved[]): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += bytesOf(stepOf(run, item))) > LARGEST_CHANGE_BYTES);
  return tooMany === -1 ? items.length : Math.max(tooMany, 1);
}

/** A refused change is halved until the bad item is alone. */
function takeOutcome(run: Partition, write: PendingWrite, items: Saved[], outcome: ChangeOutcome): void {
  write.asked = undefined;
  if (outcome.ok || items.length === 1)
    for (const { item } of items) finish(run, item, outcome.ok ? undefined : outcome.error);
  else {
    const half = Math.ceil(items.length / 2);
    write.halves.unshift(items.slice(0, half), items.slice(half));
  }
  if (write.halves.length + write.waiting.length > 0) saveSoon(run);
  else run.progress.pendingWrites.splice(run.progress.pendingWrites.indexOf(write), 1);
}

/** Made from the item's state when sent: results are too large to be carried twice. */
function stepOf(run: Partition, { item, at, finishedAt }: Saved): Step {
  const { asked, known } = run.entry(item);
  const { status, info, error, taskId = null } = known;
  const what = status === 'succeeded' ? { info } : { status, error };
  return { at, set: { key: asked.key, taskId, ...what, finishedAt } };
}
