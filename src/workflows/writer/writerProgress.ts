/** What a writer knows: which changes wait, which are settled, and whom to tell. */
import { log, setCurrentDetails } from '@temporalio/workflow';
import { type Data, problemsOfAddress, problemsOfChange } from '../../contract/changes';
import {
  type ChangeOutcome,
  type ChangeRequest,
  type ProjectWriterInput,
  type ProjectWriterState,
  type WriteReport,
  type WriterProgress,
} from '../../contract';
import { checkWriterInput } from './writerInput';

/**
 * Together these stay under the 2 MB that a run can hand to the next, even where every character takes three bytes.
 * Lengths are in characters of JSON.
 */
const LONGEST_QUEUE = 400_000;
/** So much of that is for small ones alone: a cancelled run that leaves a task behind stays until it has room. */
const KEPT_FOR_SMALL = 50_000;
const LONGEST_SMALL = 2_000;
const MOST_SETTLED = 500;
const LONGEST_ERROR = 400;

/** Each change of a batch is answered by a signal, and a run can only have so many on their way. */
const LARGEST_BATCH = 200;

export interface Writer {
  readonly input: ProjectWriterInput;
  readonly authGraceMs: number;
  readonly progress: WriterProgress;
  /** The run continues as new: who waits is let go, and asks the next one. */
  handingOver: boolean;
  /** On their way. */
  receipts: number;
}

export function startWriter(input: ProjectWriterInput): Writer {
  const authGraceMs = checkWriterInput(input);
  const nothing: WriterProgress = {
    ...{ queue: [], settled: [], answers: [] },
    ...{ applied: 0, refused: 0, failures: 0 },
    ...{ deniedSince: null, lastError: null },
  };
  const progress = { ...nothing, ...input.carried };
  const writer = { input, authGraceMs, progress, handingOver: false, receipts: 0 };
  show(writer);
  return writer;
}

export function hasWork({ progress }: Writer): boolean {
  return progress.queue.length > 0 || progress.answers.length > 0;
}

export function outcomeOf({ progress }: Writer, changeId: string): ChangeOutcome | undefined {
  const settled = progress.settled.find((change) => change.changeId === changeId);
  if (!settled) return undefined;
  return settled.error === undefined ? { ok: true } : { ok: false, error: settled.error };
}

/** Why a request that waits for its answer is turned away; nothing when it is not. */
export function problemsOfRequest(writer: Writer, request: ChangeRequest): string[] {
  const problems = [
    ...problemsOfAddress(request),
    ...problemsOfChange((request as unknown as Data | null)?.change),
  ];
  return problems.length === 0 && isFull(writer, request) ? [fullWords(writer)] : problems;
}

/**
 * Takes in what came by signal, and gives whether there was room; undefined where that is nobody's change. What cannot be
 * taken for another reason is told to its requester, if there is one.
 */
export function receive(writer: Writer, request: ChangeRequest): boolean | undefined {
  const lost = problemsOfAddress(request);
  if (lost.length > 0) {
    noteTrouble(writer, `a change was not taken: ${lost.join('; ')}`);
    return undefined;
  }
  const problems = problemsOfChange(request.change);
  // A requester without an answer asks again, and by then there may be room.
  if (problems.length === 0 && isFull(writer, request)) {
    // Why so many wait says more.
    if (writer.progress.lastError === null) noteTrouble(writer, fullWords(writer));
    return false;
  }
  const isNew = !isKnown(writer, request.changeId);
  take(writer, request);
  if (isNew && problems.length > 0)
    settle(writer, { applied: [], refused: [{ changeId: request.changeId, error: problems.join('; ') }] });
  return true;
}

/** Puts a change into the queue, unless it waits already; one that is settled is answered again. */
export function take(writer: Writer, request: ChangeRequest): void {
  const { queue, answers } = writer.progress;
  const { changeId, replyTo } = request;
  const waiting = queue.find((change) => change.changeId === changeId);
  if (waiting) waiting.replyTo ??= replyTo;
  else if (!outcomeOf(writer, changeId)) queue.push(request);
  else if (replyTo) answers.push({ changeId, replyTo });
  show(writer);
}

/** The changes that can go out together: the first ones in the queue, as long as they are for the same space. */
export function nextBatch({ progress: { queue } }: Writer): ChangeRequest[] {
  const other = queue.findIndex(({ space }) => (space ?? null) !== (queue[0]?.space ?? null));
  return queue.slice(0, other < 0 ? LARGEST_BATCH : Math.min(other, LARGEST_BATCH));
}

/** Notes what became of changes, whether they stood in the queue or not. */
export function settle(writer: Writer, { applied, refused }: Omit<WriteReport, 'patches'>): void {
  const { progress } = writer;
  // Whoever asked for it may be gone.
  for (const one of refused) log.warn('the project did not take a change', { ...one });
  const outcomes = [...applied.map((changeId) => ({ changeId })), ...refused.map(withShortError)];
  for (const { changeId } of outcomes) {
    const place = progress.queue.findIndex((change) => change.changeId === changeId);
    const [request] = place < 0 ? [] : progress.queue.splice(place, 1);
    if (request?.replyTo) progress.answers.push({ changeId, replyTo: request.replyTo });
  }
  progress.settled = [...progress.settled, ...outcomes].slice(-MOST_SETTLED);
  progress.applied += applied.length;
  progress.refused += refused.length;
  progress.lastError = refused.at(-1)?.error ?? null;
  show(writer);
}

export function noteTrouble(writer: Writer, error: string): void {
  writer.progress.lastError = shortened(error);
  show(writer);
}

export function describeWriter({ input, progress }: Writer): ProjectWriterState {
  const { queue, applied, refused, lastError } = progress;
  const { project, organization } = input;
  return {
    ...{ project, organization },
    queued: queue.map(({ changeId }) => changeId),
    ...{ applied, refused, lastError },
  };
}

/** The same in words, for whoever opens the run in the UI. */
function show(writer: Writer): void {
  const { project, organization, queued, applied, refused, lastError } = describeWriter(writer);
  const lines = [
    `Writes to project ${project.resourcetype} ${project.id} of workspace ${organization}.`,
    `${queued.length === 0 ? 'No change waits' : `${queued.length} waiting`}, ${applied} applied, ${refused} refused.`,
  ];
  if (lastError !== null) lines.push(`Last trouble: ${lastError}`);
  setCurrentDetails(lines.join('\n\n'));
}

function isFull(writer: Writer, request: ChangeRequest): boolean {
  if (isKnown(writer, request.changeId)) return false;
  const isSmall = JSON.stringify(request).length <= LONGEST_SMALL;
  const room = isSmall ? LONGEST_QUEUE : LONGEST_QUEUE - KEPT_FOR_SMALL;
  return JSON.stringify([...writer.progress.queue, request]).length > room;
}

function fullWords({ progress: { queue } }: Writer): string {
  return `${queue.length} changes of this project wait already, and no more fit; ask again later`;
}

function isKnown(writer: Writer, changeId: string): boolean {
  const waits = writer.progress.queue.some((change) => change.changeId === changeId);
  return waits || outcomeOf(writer, changeId) !== undefined;
}

function withShortError({ changeId, error }: WriteReport['refused'][number]) {
  return { changeId, error: shortened(error) };
}

function shortened(error: string): string {
  return error.length > LONGEST_ERROR ? `${error.slice(0, LONGEST_ERROR)}…` : error;
}
