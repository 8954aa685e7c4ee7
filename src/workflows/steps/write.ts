/** How a run asks the writers of projects for changes, and learns the outcomes. */
import {
  ActivityFailure,
  CancellationScope,
  condition,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import { asList, bytesOf } from '../../api/json';
import {
  type ChangeAsks,
  changedSignal,
  type ChangeOutcome,
  type ChangeRequest,
  LONGEST_CALL_MS,
  type ProjectChange,
  type ProjectRef,
  type Scope,
  type SegueActivities,
} from '../../contract';
import { formatDuration } from '../../contract/durations';
import { isRecord, isText } from '../../validation/inputs';
import { onSignal } from '../lib/listeners';

/** The longest is far less than the hour for which a writer knows a change. */
const [FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS] = [2 * 60_000, 15 * 60_000];
/** The first pause when the writer has no room. */
const NO_ROOM_PAUSE_MS = 2_000;
/** How long a run that ends waits for an outcome after the writer has got its change. */
const LEAVING_PATIENCE_MS = 60_000;
/** Of one activity; a larger change goes alone. */
const LARGEST_REQUEST_BYTES = 256 * 1024;

/** Each request that times out leaves the whole change in the history once more. */
const LONGEST_REQUEST_MS = 6 * 3_600_000;

/** A run that waited for ever would become too long for Temporal. */
const LONGEST_WAIT_MS = 7 * 24 * 3_600_000;
const NO_ANSWER: ChangeOutcome = {
  ...{ ok: false, wholeProject: true },
  error: `no answer of the project's writer came for ${formatDuration(LONGEST_WAIT_MS)}`,
};

/** A change that a run asks for. */
export interface ProjectWrite {
  project: ProjectRef;
  scope?: Scope;
  /** Made by `changeIdOf`. */
  changeId: string;
  /** Made when it is sent, because a run that continues as new need not carry it. */
  change: () => ProjectChange;
  /** Updated in place; a run that continues as new carries it over. */
  asked: ChangeAsks;
  /** Called in the same moment in which the outcome arrives; undefined where the run leaves before. */
  onOutcome: (outcome: ChangeOutcome | undefined) => void;
  /** The only run that may ask for the change; any other gets {@link OUTDATED_CHANGE}. */
  onlyBy?: string;
  /** Called each time a wait for an answer ends without one. */
  onDelay?: () => void;
}

/** The changes that a run has asked for: one request for all of the same moment, and one timer. */
export class ProjectWrites {
  readonly #open = new Map<string, ProjectWrite>();
  readonly #asking = new Set<ProjectWrite>();
  #isLooping = false;
  #isWoken = false;
  #isLeaving = false;
  #handlesReplies = false;

  /** A request is on its way, or is about to be. A run that continued as new now would ask again only minutes later. */
  get isAsking(): boolean {
    return this.#asking.size > 0 || this.#isWoken;
  }

  add(write: ProjectWrite): void {
    this.#open.set(write.changeId, write);
    this.#wake();
  }

  /** The run is about to end: once a writer has a change, its outcome is waited for only a little longer. */
  leave(): void {
    this.#isLeaving = true;
    for (const write of this.#open.values()) if (!this.#asking.has(write)) this.#leaveSoon(write);
    this.#wake();
  }

  #leaveSoon({ asked }: ProjectWrite): void {
    if (this.#isLeaving && asked.isKnown) asked.nextAt = timeIn(LEAVING_PATIENCE_MS);
  }

  /** The write is not waited for any more; it may be made all the same. */
  drop(changeId: string): void {
    this.#open.delete(changeId);
  }

  #wake(): void {
    this.#isWoken = true;
    if (this.#isLooping) return;
    this.#isLooping = true;
    void CancellationScope.nonCancellable(() => this.#loop());
  }

  async #loop(): Promise<void> {
    // Changes of the same moment are asked for together, and a reply that came before finds all of them.
    await Promise.resolve();
    if (!this.#handlesReplies) this.#handleReplies();
    while (this.#open.size > 0) {
      this.#isWoken = false;
      const isDone = (): boolean => this.#isWoken || this.#open.size === 0;
      const due = this.#idle().filter(({ asked }) => msUntil(asked.nextAt) <= 0);
      for (const write of due) {
        const { changeId, asked, onDelay } = write;
        if (this.#isLeaving && asked.isKnown) this.#settle(changeId, undefined);
        else if (-msUntil(asked.firstAt) >= LONGEST_WAIT_MS) this.#settle(changeId, NO_ANSWER);
        else if ((asked.times ?? 0) > 0) onDelay?.();
      }
      for (const group of groupsOf(due.filter(({ changeId }) => this.#open.has(changeId))))
        void this.#ask(group);
      const nextMs = Math.min(...this.#idle().map(({ asked }) => msUntil(asked.nextAt)));
      if (nextMs === Infinity) await condition(isDone);
      else await condition(isDone, Math.max(nextMs, 1));
    }
    [this.#isLooping, this.#isWoken] = [false, false];
  }

  /** What is not being asked for at the moment. */
  #idle(): ProjectWrite[] {
    return [...this.#open.values()].filter((write) => !this.#asking.has(write));
  }

  async #ask(group: Asked[]): Promise<void> {
    for (const { write } of group) {
      const times = (write.asked.times ?? 0) + 1;
      const patience = backoff(FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS, times);
      // Now, because a rejection may come before the end of the activity, and this run may continue as new.
      Object.assign(write.asked, { times, isKnown: true, nextAt: timeIn(patience) });
      write.asked.firstAt ??= timeIn(0);
      this.#asking.add(write);
    }
    const [{ write } = {}] = group;
    const requests = group.map(({ request }) => request);
    const { requestChanges } = proxyActivities<SegueActivities>({
      summary: 'asks the writers of projects for changes',
      startToCloseTimeout: LONGEST_CALL_MS,
      // The first ends soon enough for the run to show the delay. Then it asks again.
      scheduleToCloseTimeout: backoff(FIRST_PATIENCE_MS, LONGEST_REQUEST_MS, write?.asked.times),
      // The writer ignores a change that it knows, so a retry is harmless.
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    });
    try {
      const refused = await requestChanges({ scope: write?.scope, onlyBy: write?.onlyBy, requests });
      for (const { changeId, error } of refused) this.#settle(changeId, { ok: false, error });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      // Some servers report the timeout as an ordinary failure.
      const isTimeout = error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure;
      const failure: ChangeOutcome = {
        ...{ ok: false, wholeProject: true },
        error: error.cause?.message ?? error.message,
      };
      for (const {
        write: { changeId, asked },
      } of group)
        if (isTimeout) Object.assign(asked, { isKnown: false, nextAt: timeIn(0) });
        else this.#settle(changeId, failure);
    }
    for (const { write: asked } of group) {
      this.#asking.delete(asked);
      this.#leaveSoon(asked);
    }
    this.#wake();
  }

  /** Ends the wait for a change; the writer may still make it. */
  #settle(changeId: string, outcome: ChangeOutcome | undefined): void {
    const write = this.#open.get(changeId);
    this.#open.delete(changeId);
    write?.onOutcome(outcome);
  }

  /** The writer had no room for the change, or does not know it: it gets the whole change again. */
  #askAgain(changeId: string, why: 'noRoom' | 'unknown'): void {
    const asked = this.#open.get(changeId)?.asked;
    if (!asked) return;
    asked.isKnown = false;
    asked.rejections = (asked.rejections ?? 0) + 1;
    const longest = backoff(NO_ROOM_PAUSE_MS, LONGEST_PATIENCE_MS, asked.rejections);
    // Random, so that not all runs come back at once.
    const pause = longest * (0.5 + Math.random() / 2);
    asked.nextAt = timeIn(why === 'unknown' && asked.rejections === 1 ? 0 : pause);
    this.#wake();
  }

  /** Malformed parts are ignored. */
  #handleReplies(): void {
    this.#handlesReplies = true;
    const description =
      'Tells the outcomes of changes that this run asked for: { applied, refused, noRoom, unknown }.';
    onSignal(changedSignal, description, ({ applied, refused, noRoom, unknown }) => {
      for (const changeId of asList(applied)) if (isText(changeId)) this.#settle(changeId, { ok: true });
      for (const one of asList(refused)) {
        const { changeId, error, wholeProject } = isRecord(one) ? one : {};
        if (isText(changeId) && typeof error === 'string')
          this.#settle(changeId, { ok: false, error, wholeProject: wholeProject === true || undefined });
      }
      for (const changeId of asList(noRoom)) if (isText(changeId)) this.#askAgain(changeId, 'noRoom');
      for (const changeId of asList(unknown)) if (isText(changeId)) this.#askAgain(changeId, 'unknown');
    });
  }
}

/** Asks for one change and waits for its outcome, however long the service takes. Undefined only for a run that leaves. */
export async function writeToProject(
  writes: ProjectWrites,
  write: Omit<ProjectWrite, 'change' | 'asked' | 'onOutcome'> & { change: ProjectChange },
): Promise<ChangeOutcome | undefined> {
  const { change, changeId } = write;
  let [isOver, outcome]: [boolean, ChangeOutcome | undefined] = [false, undefined];
  const onOutcome = (told: ChangeOutcome | undefined): void => {
    [isOver, outcome] = [true, told];
  };
  writes.add({ ...write, change: () => change, asked: {}, onOutcome });
  try {
    await condition(() => isOver);
    return outcome;
  } finally {
    writes.drop(changeId);
  }
}

interface Asked {
  write: ProjectWrite;
  request: Omit<ChangeRequest, 'space'>;
}

/** One activity asks for changes of one scope, as many as fit. */
function groupsOf(writes: ProjectWrite[]): Asked[][] {
  const groups: { scope: string; bytes: number; members: Asked[] }[] = [];
  for (const write of writes) {
    const { project, changeId, asked } = write;
    const request = { project, changeId, change: asked.isKnown ? undefined : write.change() };
    const [scope, bytes] = [JSON.stringify([write.scope, write.onlyBy]), bytesOf(request)];
    const open = groups.findLast((group) => group.scope === scope);
    if (open && open.bytes + bytes <= LARGEST_REQUEST_BYTES) {
      open.bytes += bytes;
      open.members.push({ write, request });
    } else groups.push({ scope, bytes, members: [{ write, request }] });
  }
  return groups.map(({ members }) => members);
}

/** Doubles with each time, the first of which is 1. */
function backoff(firstMs: number, longestMs: number, times = 1): number {
  return Math.min(firstMs * 2 ** (times - 1), longestMs);
}

function msUntil(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time) - Date.now();
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}
