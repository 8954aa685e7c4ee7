/** What became of items: kept here, and written to their projects, together where they share one. */
import { CancellationScope, uuid4, workflowInfo } from '@temporalio/workflow';
import { type Letter, type Saved, type Step } from '../../contract';
import { changeIdOf } from '../../contract/ids';
import { answerTo } from '../steps/write';
import { writeToProject } from '../steps/write';
import { noteNotice } from './notices';
import { endWhenLong, type Entry, entryAt, type Partition } from './run';

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

/** The project knows it first, then the user. */
function keep(run: Partition, entry: Entry): void {
  if (entry.asked.write) save(run, entry);
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
  if (entry.known.taskId !== undefined) save(run, entry);
}

/** Of one change, in characters of JSON: a writer's queue holds those of five partitions that share a project. */
const LONGEST_CHANGE = 64_000;

function save(run: Partition, { place, asked, known }: Entry): void {
  if (!asked.write) return;
  const { letters } = run.progress;
  const { project, at, failedAt } = asked.write;
  const finishedAt = new Date().toISOString();
  const saved = { place, at: known.status === 'succeeded' ? at : (failedAt ?? at), finishedAt };
  const address = JSON.stringify([project.resourcetype, project.id, asked.scope ?? null]);
  const open = letters.find((letter) => letter.address === address);
  if (open) {
    open.waiting.push(saved);
    return;
  }
  const letter = { address, project, scope: asked.scope, halves: [], waiting: [saved] };
  letters.push(letter);
  void CancellationScope.nonCancellable(() => send(run, letter));
}

/** What the run before this one had no answer to. */
export function goOnWriting(run: Partition): void {
  for (const letter of run.progress.letters) void send(run, letter);
}

/** Answers that came in the last moment: the next run would ask again, and the writer that knows may be gone by then. */
export function takeAnswersAlong({ progress, mailbox }: Partition): void {
  for (const { asked } of progress.letters) if (asked) asked.answer = answerTo(mailbox, asked.changeId);
}

/** Wherever this waits, the letter says how far it is: another run may have to go on with it. */
async function send(run: Partition, letter: Letter): Promise<void> {
  // After all that is settled in the same moment.
  await Promise.resolve();
  const { project, scope } = letter;
  // A partition has hundreds of letters, and may have nothing else to do for days.
  const handOver = (): void => {
    endWhenLong(run);
  };
  const watch = { onAsked: handOver, onDelay: handOver };
  while ((letter.asked ??= nextOf(run, letter))) {
    const { asked } = letter;
    const { changeId, items, answer } = asked;
    const change = { steps: items.map((item) => stepOf(run, item)) };
    const order = { project, scope, change, changeId };
    const outcome = answer ?? (await writeToProject(run.mailbox, order, { ...watch, asked }));
    letter.asked = undefined;
    takeOutcome(run, letter, items, outcome.ok ? undefined : outcome.error);
  }
  // In the same moment as the last look: what is saved from now on is another letter.
  run.progress.letters.splice(run.progress.letters.indexOf(letter), 1);
}

/** What is settled while one is on its way goes with the next. */
function nextOf(run: Partition, { halves, waiting }: Letter): Letter['asked'] {
  const items = halves.shift() ?? waiting.splice(0, howManyFit(run, waiting));
  // Not the same name after a reset: what is written together then is something else.
  return items.length > 0 ? { changeId: changeIdOf(workflowInfo().workflowId, uuid4()), items } : undefined;
}

function howManyFit(run: Partition, items: Saved[]): number {
  let length = 0;
  const tooMany = items.findIndex(
    (item) => (length += JSON.stringify(stepOf(run, item)).length) > LONGEST_CHANGE,
  );
  return tooMany === -1 ? items.length : Math.max(tooMany, 1);
}

/** Where they are refused together, one bad one among good ones is found by halves, and refused alone. */
function takeOutcome(run: Partition, { halves }: Letter, items: Saved[], error: string | undefined): void {
  if (error === undefined || items.length === 1) {
    for (const { place } of items) finish(run, place, error);
    return;
  }
  const half = Math.ceil(items.length / 2);
  halves.unshift(items.slice(0, half), items.slice(half));
}

/** Made when it is sent, of what is kept anyway: results are too large to be handed over twice. */
function stepOf(run: Partition, { place, at, finishedAt }: Saved): Step {
  const { asked, known } = entryAt(run, place);
  const { status, info, error, taskId = null } = known;
  const what = status === 'succeeded' ? { info } : { status, error };
  return { at, set: { key: asked.key, taskId, ...what, finishedAt } };
}
