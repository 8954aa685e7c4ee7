/** How a run asks the writers of projects for changes, and learns the outcomes. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  setHandler,
  TimeoutFailure,
} from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import {
  changedSignal,
  type ChangeOutcome,
  type ChangeRequest,
  type ChangeState,
  FAILURE,
  LONGEST_CALL_MS,
  type ProjectChange,
  type ProjectRef,
  type RefusedChange,
  type Scope,
  type SegueActivities,
} from '../../contract';
import { isRecord, isText } from '../../validation/inputs';

const [FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS] = [2 * 60_000, 15 * 60_000];
/** The first pause when the writer has no room. */
const NO_ROOM_PAUSE_MS = 2_000;
/** How long a run that ends waits for the outcome after the writer has its change. */
export const LEAVING_PATIENCE_MS = 60_000;
/** Of the changes in one activity; a larger one goes alone. */
const LARGEST_REQUEST_BYTES = 256 * 1024;

const request = {
  summary: 'asks the writers of the projects for changes',
  startToCloseTimeout: LONGEST_CALL_MS,
  // The writer ignores a change that it knows, so a retry is harmless.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
} as const;
// The first request times out soon, so that the run can show the delay.
const first = proxyActivities<SegueActivities>({ ...request, scheduleToCloseTimeout: FIRST_PATIENCE_MS });
// Shorter than the hour for which the writer knows a change.
const later = proxyActivities<SegueActivities>({ ...request, scheduleToCloseTimeout: '30m' });

/** A change that a run asks for. */
export interface ProjectWrite {
  /** Made by {@link changeIdOf}. */
  changeId: string;
  project: ProjectRef;
  scope?: Scope;
  /** Made when it is sent: a run that continues as new need not carry it. */
  change: () => ProjectChange;
  /** Updated in place; a run that continues as new carries it. */
  state: ChangeState;
}

export interface WriteOptions {
  /** The only run that may ask for the changes; any other gets an `Outdated` failure. */
  onlyBy?: string;
  /** Called each time a wait for an answer ends without one. */
  onDelay?: () => void;
  /** Called before each request; the run may continue as new there. */
  beforeAsk?: () => Promise<void>;
  /** The run is about to end: once the writers have the changes, it waits for their outcomes only this long. */
  leaveAfterMs?: number;
}

/** Writes one change and waits for its outcome. Undefined only for a run that leaves. */
export async function writeToProject(
  replies: WriterReplies,
  write: Omit<ProjectWrite, 'change' | 'state'> & { change: ProjectChange; state?: ChangeState },
  options: WriteOptions = {},
): Promise<ChangeOutcome | undefined> {
  let outcome: ChangeOutcome | undefined;
  const { change, state = {} } = write;
  await writeTogether(
    replies,
    [{ ...write, change: () => change, state }],
    (_write, itsOutcome) => {
      outcome = itsOutcome;
    },
    options,
  );
  return outcome;
}

/** Asks for changes of different projects, with one request and one timer for all, until each has its outcome. */
export async function writeTogether<Write extends ProjectWrite>(
  replies: WriterReplies,
  writes: Write[],
  onOutcome: (write: Write, outcome: ChangeOutcome) => void,
  options: WriteOptions = {},
): Promise<void> {
  const { onDelay, beforeAsk, leaveAfterMs } = options;
  const open = new Set(writes);
  const settle = (write: Write, outcome: ChangeOutcome): void => {
    open.delete(write);
    replies.forget(write.changeId);
    onOutcome(write, outcome);
  };
  const takeAnswers = (): void => {
    for (const write of [...open]) {
      const outcome = replies.outcomeOf(write.changeId);
      if (outcome) settle(write, outcome);
      else if (replies.isRejected(write.changeId)) askAgain(write, replies.takeRejection(write.changeId));
    }
  };
  for (;;) {
    takeAnswers();
    if (open.size === 0) return;
    const isDue = ({ state }: Write): boolean => timeUntil(state.nextAt) <= 0;
    if ([...open].some(isDue)) {
      await beforeAsk?.();
      takeAnswers();
      await Promise.all(groupsOf([...open].filter(isDue)).map((group) => ask(group, replies, options, settle)));
      continue;
    }
    const nextMs = Math.min(...[...open].map(({ state }) => timeUntil(state.nextAt)));
    const isLeaving = leaveAfterMs !== undefined && [...open].every(({ state }) => state.isKnown);
    const isAnswered = await condition(
      () => [...open].some(({ changeId }) => replies.has(changeId)),
      isLeaving ? leaveAfterMs : nextMs,
    );
    if (isAnswered) continue;
    if (isLeaving) return;
    onDelay?.();
  }
}

/** The writer had no room for the change, or does not know it: it gets the whole change again. */
function askAgain({ state }: ProjectWrite, why: Rejection): void {
  state.isKnown = false;
  state.rejections = (state.rejections ?? 0) + 1;
  // Random, so that not all runs come back at once.
  const pause = Math.min(NO_ROOM_PAUSE_MS * 2 ** (state.rejections - 1), LONGEST_PATIENCE_MS);
  const isImmediate = why === 'unknown' && state.rejections === 1;
  state.nextAt = timeIn(isImmediate ? 0 : pause * (0.5 + Math.random() / 2));
}

/** One activity asks for changes of one scope, as many as fit. */
function groupsOf<Write extends ProjectWrite>(writes: Write[]): { write: Write; request: AskedChange }[][] {
  const groups: { scope: string; bytes: number; members: { write: Write; request: AskedChange }[] }[] = [];
  for (const write of writes) {
    const { project, changeId, state } = write;
    const asked = { project, changeId, change: state.isKnown ? undefined : write.change() };
    const [scope, bytes] = [JSON.stringify(write.scope ?? null), bytesOf(asked)];
    const open = groups.findLast((group) => group.scope === scope);
    if (open && open.bytes + bytes <= LARGEST_REQUEST_BYTES) {
      open.bytes += bytes;
      open.members.push({ write, request: asked });
    } else groups.push({ scope, bytes, members: [{ write, request: asked }] });
  }
  return groups.map(({ members }) => members);
}

type AskedChange = Omit<ChangeRequest, 'space'>;

async function ask<Write extends ProjectWrite>(
  group: { write: Write; request: AskedChange }[],
  replies: WriterReplies,
  { onlyBy, onDelay }: WriteOptions,
  settle: (write: Write, outcome: ChangeOutcome) => void,
): Promise<void> {
  const times = Math.max(...group.map(({ write }) => write.state.times ?? 0));
  const { requestChanges } = times === 0 ? first : later;
  const patience = Math.min(FIRST_PATIENCE_MS * 2 ** times, LONGEST_PATIENCE_MS);
  // For a run that continues as new during the request. A change that was never asked for is then asked for at once.
  for (const { write } of group) {
    write.state.times = times + 1;
    if (times > 0) write.state.nextAt = timeIn(patience);
  }
  const order = { scope: group[0]?.write.scope, requests: group.map((member) => member.request), onlyBy };
  const isAnswered = (): boolean => group.every(({ write }) => replies.has(write.changeId));
  // A request that is still on its way after the answer is cancelled: arriving later, it would undo newer changes.
  const asking = new CancellationScope();
  try {
    const refused = await asking.run(() =>
      Promise.race([requestChanges(order), condition(isAnswered).then((): RefusedChange[] => [])]),
    );
    for (const { write } of group) {
      write.state.isKnown = true;
      write.state.nextAt = timeIn(patience);
      const refusal = refused.find(({ changeId }) => changeId === write.changeId);
      if (refusal) settle(write, { ok: false, error: refusal.error });
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    if (isOutdated(error.cause)) throw error.cause;
    // Some servers report the timeout as an ordinary failure.
    const isTimeout = error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure;
    if (isTimeout) onDelay?.();
    else
      for (const { write } of group)
        settle(write, { ok: false, error: error.cause?.message ?? error.message });
  } finally {
    asking.cancel();
  }
}

export function isOutdated(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === FAILURE.outdated;
}

function timeUntil(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time) - Date.now();
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

type Rejection = 'noRoom' | 'unknown';

/** Anybody can send a signal, so the replies that nobody waits for have a limit. */
const MOST_REPLIES = 5_000;

/** What the writers of projects signalled to a run. */
export class WriterReplies {
  readonly #outcomes = new Map<string, ChangeOutcome>();
  readonly #rejections = new Map<string, Rejection>();

  constructor() {
    setHandler(
      changedSignal,
      (reply: unknown) => {
        this.#keep(reply);
      },
      {
        description:
          'Tells the outcomes of changes that this run asked for: { applied, refused, noRoom, unknown }.',
      },
    );
  }

  has(changeId: string): boolean {
    return this.#outcomes.has(changeId) || this.#rejections.has(changeId);
  }

  outcomeOf(changeId: string): ChangeOutcome | undefined {
    return this.#outcomes.get(changeId);
  }

  isRejected(changeId: string): boolean {
    return this.#rejections.has(changeId);
  }

  takeRejection(changeId: string): Rejection {
    const why = this.#rejections.get(changeId) ?? 'unknown';
    this.#rejections.delete(changeId);
    return why;
  }

  forget(changeId: string): void {
    this.#outcomes.delete(changeId);
    this.#rejections.delete(changeId);
  }

  /** Malformed parts are ignored. */
  #keep(reply: unknown): void {
    if (!isRecord(reply) || this.#outcomes.size + this.#rejections.size >= MOST_REPLIES) return;
    const { applied, refused, noRoom, unknown } = reply;
    for (const changeId of textsIn(applied)) this.#outcomes.set(changeId, { ok: true });
    for (const one of Array.isArray(refused) ? (refused as unknown[]) : [])
      if (isRecord(one) && isText(one.changeId) && typeof one.error === 'string')
        this.#outcomes.set(one.changeId, { ok: false, error: one.error });
    for (const changeId of textsIn(noRoom)) this.#rejections.set(changeId, 'noRoom');
    for (const changeId of textsIn(unknown)) this.#rejections.set(changeId, 'unknown');
  }
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter(isText) : [];
}
