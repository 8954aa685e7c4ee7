/** Keeps what became of items, and writes it to their projects, together where they share one. */
import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import { type AskedChange, type PendingWrite, type Saved, type Step } from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { addNotice } from './notify';
import { type Entry, type Partition } from './state';

/** The user is notified after the project is written. */
export function keepEnd(
  run: Partition,
  entry: Entry,
  end: { status: 'succeeded'; info: unknown } | { status: 'failed'; error: string },
): void {
  Object.assign(entry.known, end);
  if (entry.asked.write) save(run, entry);
  else addNotice(entry);
}

function finish(run: Partition, index: number, error: string | undefined): void {
  const entry = run.entry(index);
  entry.known.unwritten = error;
  if (error !== undefined && entry.known.status === 'succeeded') entry.known.status = 'unsaved';
  if (entry.known.status !== 'cancelled') addNotice(entry);
}

/** The project names the task, which continues at the service. */
export function recordCancelled(run: Partition, index: number): void {
  const entry = run.entry(index);
  if (entry.known.taskId !== undefined) save(run, entry);
}

/** Of one change: a writer has room for those of five partitions that share a project. */
const LARGEST_CHANGE_BYTES = 48_000;

function save(run: Partition, { index, asked, known }: Entry): void {
  if (!asked.write) return;
  const { pendingWrites } = run.progress;
  const { project, at, failedAt } = asked.write;
  const finishedAt = new Date().toISOString();
  const saved = { item: index, at: known.status === 'succeeded' ? at : (failedAt ?? at), finishedAt };
  const address = JSON.stringify([project.resourcetype, project.id, asked.scope ?? null]);
  const open = pendingWrites.find((write) => write.address === address);
  if (open) open.waiting.push(saved);
  else pendingWrites.push({ address, project, scope: asked.scope, halves: [], waiting: [saved] });
  void writeSoon(run);
}

/** While more items are about to end, their changes go together: each request costs a signal for each shard. */
const WRITE_EVERY_MS = 2_000;

/** Items that end in the same moment, or within two seconds, go together. */
async function writeSoon(run: Partition): Promise<void> {
  if (run.isSaving) return;
  run.isSaving = true;
  await Promise.resolve();
  const isEnding = (): boolean => run.handingOver || run.left !== 'items';
  const waitMs = run.lastWriteAt + WRITE_EVERY_MS - Date.now();
  if (waitMs > 0) await condition(isEnding, waitMs, { summary: 'for items that end soon' });
  run.lastWriteAt = Date.now();
  run.isSaving = false;
  for (const write of run.progress.pendingWrites) if (!write.asked) writeNext(run, write);
}

export function resumeWrites(run: Partition): void {
  for (const write of run.progress.pendingWrites) writeNext(run, write);
}

/** A project has one change at a time. `write` always says how far it is: another run may continue it. */
function writeNext(run: Partition, write: PendingWrite): void {
  const asked = (write.asked ??= nextOf(run, write));
  const { project, scope } = write;
  run.writes.add({
    ...{ project, scope, changeId: asked.changeId, asked },
    change: () => ({ steps: asked.items.map((item) => stepOf(run, item)) }),
    onOutcome: (outcome) => {
      write.asked = undefined;
      takeOutcome(run, write, asked.items, outcome?.ok === false ? outcome.error : undefined);
      run.handOverWhenLong();
    },
    // Waiting for a writer may take days, and adds to the history.
    onDelay: () => {
      run.handOverWhenLong();
    },
  });
}

function nextOf(run: Partition, { halves, waiting }: PendingWrite): AskedChange {
  const items = halves.shift() ?? waiting.splice(0, howManyFit(run, waiting));
  // Random: after a reset, a change holds other items.
  return { changeId: changeIdOf(workflowInfo().workflowId, uuid4()), items };
}

function howManyFit(run: Partition, items: Saved[]): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += bytesOf(stepOf(run, item))) > LARGEST_CHANGE_BYTES);
  return tooMany === -1 ? items.length : Math.max(tooMany, 1);
}

/** A refused change is halved until the bad item is alone. */
function takeOutcome(run: Partition, write: PendingWrite, items: Saved[], error: string | undefined): void {
  const { halves, waiting } = write;
  if (error === undefined || items.length === 1) for (const { item } of items) finish(run, item, error);
  else {
    const half = Math.ceil(items.length / 2);
    halves.unshift(items.slice(0, half), items.slice(half));
  }
  const { pendingWrites } = run.progress;
  if (halves.length + waiting.length > 0) void writeSoon(run);
  else pendingWrites.splice(pendingWrites.indexOf(write), 1);
}

/** Made from the item's state when sent: results are too large to be carried twice. */
function stepOf(run: Partition, { item, at, finishedAt }: Saved): Step {
  const { asked, known } = run.entry(item);
  const { status, info, error, taskId = null } = known;
  const what = status === 'succeeded' ? { info } : { status, error };
  return { at, set: { key: asked.key, taskId, ...what, finishedAt } };
}
