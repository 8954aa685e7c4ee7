/** Keeps what became of items, and writes it to their projects, together where they share one. */
import { CancellationScope, uuid4, workflowInfo } from '@temporalio/workflow';
import { type PendingWrite, type Saved, type Step } from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { writeToProject } from '../steps/write';
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
  if (entry.known.status !== 'cancelled') addNotice(entry);
}

/** The project names the task, which continues at the service. */
export function recordCancelled(run: Partition, index: number): void {
  const entry = run.entry(index);
  if (entry.known.taskId !== undefined) save(run, entry);
}

/** Of one change, in characters of JSON: a writer's queue holds those of five partitions that share a project. */
const LONGEST_CHANGE = 64_000;

function save(run: Partition, { index, asked, known }: Entry): void {
  if (!asked.write) return;
  const { letters } = run.progress;
  const { project, at, failedAt } = asked.write;
  const finishedAt = new Date().toISOString();
  const saved = { place: index, at: known.status === 'succeeded' ? at : (failedAt ?? at), finishedAt };
  const address = JSON.stringify([project.resourcetype, project.id, asked.scope ?? null]);
  const open = letters.find((write) => write.address === address);
  if (open) {
    open.waiting.push(saved);
    return;
  }
  const write = { address, project, scope: asked.scope, halves: [], waiting: [saved] };
  letters.push(write);
  void CancellationScope.nonCancellable(() => send(run, write));
}

export function resumeWrites(run: Partition): void {
  for (const write of run.progress.letters) void send(run, write);
}

/** Replies that just arrived: the next run would ask again, and the writer may be gone by then. */
export function keepReplies({ progress, writerReplies }: Partition): void {
  for (const { asked } of progress.letters)
    if (asked) asked.answer = writerReplies.answers.get(asked.changeId);
}

/** `write` always says how far it is: another run may continue it. */
async function send(run: Partition, write: PendingWrite): Promise<void> {
  // Items that end in the same moment go together.
  await Promise.resolve();
  const { project, scope } = write;
  // Waiting for a writer may take days, and adds to the history.
  const handOver = (): void => {
    run.handOverWhenLong();
  };
  const callbacks = { onAsked: handOver, onDelay: handOver };
  while ((write.asked ??= nextOf(run, write))) {
    const { asked } = write;
    const { changeId, items, answer } = asked;
    const change = { steps: items.map((item) => stepOf(run, item)) };
    const order = { project, scope, change, changeId };
    const outcome = answer ?? (await writeToProject(run.writerReplies, order, { ...callbacks, asked }));
    write.asked = undefined;
    takeOutcome(run, write, items, outcome.ok ? undefined : outcome.error);
  }
  // Without an await after the last check: what is saved from now on is another write.
  run.progress.letters.splice(run.progress.letters.indexOf(write), 1);
}

function nextOf(run: Partition, { halves, waiting }: PendingWrite): PendingWrite['asked'] {
  const items = halves.shift() ?? waiting.splice(0, howManyFit(run, waiting));
  // Random: after a reset, a change holds other items.
  return items.length > 0 ? { changeId: changeIdOf(workflowInfo().workflowId, uuid4()), items } : undefined;
}

function howManyFit(run: Partition, items: Saved[]): number {
  let length = 0;
  const tooMany = items.findIndex(
    (item) => (length += JSON.stringify(stepOf(run, item)).length) > LONGEST_CHANGE,
  );
  return tooMany === -1 ? items.length : Math.max(tooMany, 1);
}

/** A refused change is halved until the bad item is alone. */
function takeOutcome(
  run: Partition,
  { halves }: PendingWrite,
  items: Saved[],
  error: string | undefined,
): void {
  if (error === undefined || items.length === 1) {
    for (const { place } of items) finish(run, place, error);
    return;
  }
  const half = Math.ceil(items.length / 2);
  halves.unshift(items.slice(0, half), items.slice(half));
}

/** Made from the item's state when sent: results are too large to be carried twice. */
function stepOf(run: Partition, { place, at, finishedAt }: Saved): Step {
  const { asked, known } = run.entry(place);
  const { status, info, error, taskId = null } = known;
  const what = status === 'succeeded' ? { info } : { status, error };
  return { at, set: { key: asked.key, taskId, ...what, finishedAt } };
}
