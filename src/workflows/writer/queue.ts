/** The queue of a project's writer: which changes wait, which are settled, and who gets an answer. */
import { ApplicationFailure, log, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { isId } from '../../api/scope';
import {
  type ChangeOutcome,
  type ChangeRequest,
  DEFAULT_SUBMIT,
  FAILURE,
  type ProjectWriterInput,
  type ProjectWriterState,
  type WriteReport,
  type WriterProgress,
} from '../../contract';
import { isRecord } from '../../api/json';
import { type Data, validateAddress, validateChange } from '../../contract/changes';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { projectWriterId } from '../../contract/ids';
import { validateCarried } from '../steps/job';

/** In characters of JSON, of up to three bytes: the state stays under the 2 MB that continue-as-new takes. */
const LONGEST_QUEUE = 400_000;
/** Reserved for small changes: a cancelled run stays open until the writer has its task id. */
const KEPT_FOR_SMALL = 50_000;
const LONGEST_SMALL = 2_000;
const MOST_SETTLED = 500;
const LONGEST_ERROR = 400;

/** Each change is answered by a signal, and a run can send only so many at once. */
const LARGEST_BATCH = 200;

export interface Writer {
  readonly input: ProjectWriterInput;
  readonly authGraceMs: number;
  readonly progress: WriterProgress;
  /** The run is about to continue as new: Updates end and ask the next run. */
  handingOver: boolean;
  /** Signals about accepted and rejected changes that are being sent. */
  acks: number;
}

export function startWriter(input: ProjectWriterInput): Writer {
  const authGraceMs = checkWriterInput(input);
  const nothing: WriterProgress = {
    ...{ queue: [], settled: [], answers: [] },
    ...{ applied: 0, refused: 0, failures: 0 },
    ...{ deniedSince: null, lastError: null },
  };
  const progress = { ...nothing, ...input.carried };
  const writer = { input, authGraceMs, progress, handingOver: false, acks: 0 };
  showDetails(writer);
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

export function validateRequest(writer: Writer, request: ChangeRequest): string[] {
  const problems = [
    ...validateAddress(request),
    ...validateChange((request as unknown as Data | null)?.change),
  ];
  return problems.length === 0 && isFull(writer, request) ? [fullText(writer)] : problems;
}

/** Gives whether there was room for a signalled change; undefined when it has no valid id or requester. */
export function receive(writer: Writer, request: ChangeRequest): boolean | undefined {
  const lost = validateAddress(request);
  if (lost.length > 0) {
    noteTrouble(writer, `a change was not taken: ${lost.join('; ')}`);
    return undefined;
  }
  const problems = validateChange(request.change);
  if (problems.length === 0 && isFull(writer, request)) {
    // An earlier error says more: why the queue is so long.
    if (writer.progress.lastError === null) noteTrouble(writer, fullText(writer));
    return false;
  }
  const isNew = !isKnown(writer, request.changeId);
  take(writer, request);
  if (isNew && problems.length > 0)
    settle(writer, { applied: [], refused: [{ changeId: request.changeId, error: problems.join('; ') }] });
  return true;
}

/** Queues a change, unless it is queued already; a settled one is answered again. */
export function take(writer: Writer, request: ChangeRequest): void {
  const { queue, answers } = writer.progress;
  const { changeId, replyTo } = request;
  const waiting = queue.find((change) => change.changeId === changeId);
  if (waiting) waiting.replyTo ??= replyTo;
  else if (!outcomeOf(writer, changeId)) queue.push(queuedPart(request));
  else if (replyTo) answers.push({ changeId, replyTo });
  showDetails(writer);
}

/** The changes of one PATCH: the first in the queue, as long as they are for the same space. */
export function nextBatch({ progress: { queue } }: Writer): ChangeRequest[] {
  const other = queue.findIndex(({ space }) => (space ?? null) !== (queue[0]?.space ?? null));
  return queue.slice(0, other < 0 ? LARGEST_BATCH : Math.min(other, LARGEST_BATCH));
}

/** Records the outcomes of changes, queued or not. */
export function settle(writer: Writer, { applied, refused }: Omit<WriteReport, 'patches'>): void {
  const { progress } = writer;
  // Logged, because the requester may be gone.
  for (const one of refused) log.warn('the project did not take a change', { ...one });
  const outcomes = [
    ...applied.map((changeId) => ({ changeId })),
    ...refused.map(({ changeId, error }) => ({ changeId, error: shortened(error) })),
  ];
  for (const { changeId } of outcomes) {
    const index = progress.queue.findIndex((change) => change.changeId === changeId);
    const [request] = index < 0 ? [] : progress.queue.splice(index, 1);
    if (request?.replyTo) progress.answers.push({ changeId, replyTo: request.replyTo });
  }
  progress.settled = [...progress.settled, ...outcomes].slice(-MOST_SETTLED);
  progress.applied += applied.length;
  progress.refused += refused.length;
  progress.lastError = refused.at(-1)?.error ?? null;
  showDetails(writer);
}

export function noteTrouble(writer: Writer, error: string): void {
  writer.progress.lastError = shortened(error);
  showDetails(writer);
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

function showDetails(writer: Writer): void {
  const { project, organization, queued, applied, refused, lastError } = describeWriter(writer);
  const lines = [
    `Writes to project ${project.resourcetype} ${project.id} of workspace ${organization}.`,
    `${queued.length === 0 ? 'No change waits' : `${queued.length} waiting`}, ${applied} applied, ${refused} refused.`,
  ];
  if (lastError !== null) lines.push(`Last trouble: ${lastError}`);
  setCurrentDetails(lines.join('\n\n'));
}

/** Other members of a request may be of any size and depth. */
function queuedPart({ changeId, change, replyTo, space }: ChangeRequest): ChangeRequest {
  return { changeId, change, replyTo, space };
}

function isFull(writer: Writer, request: ChangeRequest): boolean {
  if (isKnown(writer, request.changeId)) return false;
  const part = queuedPart(request);
  const isSmall = JSON.stringify(part).length <= LONGEST_SMALL;
  const room = isSmall ? LONGEST_QUEUE : LONGEST_QUEUE - KEPT_FOR_SMALL;
  return JSON.stringify([...writer.progress.queue, part]).length > room;
}

function fullText({ progress: { queue } }: Writer): string {
  return `${queue.length} changes of this project wait already, and no more fit; ask again later`;
}

function isKnown(writer: Writer, changeId: string): boolean {
  const waits = writer.progress.queue.some((change) => change.changeId === changeId);
  return waits || outcomeOf(writer, changeId) !== undefined;
}

function shortened(error: string): string {
  return error.length > LONGEST_ERROR ? `${error.slice(0, LONGEST_ERROR)}…` : error;
}

/** Gives the grace time for denied access. Fails a writer with a wrong id, which would write beside the right one. */
function checkWriterInput(input: ProjectWriterInput): number {
  const problems = [...validateShape(input), ...validateCarried(isRecord(input) ? input : {})];
  const grace = parseDuration(isRecord(input) ? (input.authGrace ?? DEFAULT_SUBMIT.authGrace) : '');
  if (grace === undefined) problems.push(`authGrace: must be ${DURATION_FORM}`);
  if (problems.length > 0 || grace === undefined)
    throw ApplicationFailure.nonRetryable(
      `The writer was not started: ${problems.join('; ')}`,
      FAILURE.badInput,
    );

  const id = projectWriterId(input.organization, input.project);
  const { workflowId } = workflowInfo();
  if (workflowId === id) return grace;
  throw ApplicationFailure.nonRetryable(
    `The writer was not started: its workflow id is ${workflowId}, but its project gives ${id}`,
    FAILURE.unsafeStart,
  );
}

/** Other languages start this workflow too, with whatever JSON they have. */
function validateShape(input: unknown): string[] {
  const { organization, project } = isRecord(input) ? input : {};
  const { resourcetype, id } = isRecord(project) ? project : {};
  const ids = { organization, 'project.resourcetype': resourcetype, 'project.id': id };
  return Object.entries(ids).flatMap(([name, value]) =>
    typeof value === 'string' && isId(value) ? [] : [`${name}: must be an id`],
  );
}
