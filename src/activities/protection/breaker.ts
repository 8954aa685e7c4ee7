/**
 * Stops the submits of a worker while the service is in trouble: each POST with an unknown outcome is a job that
 * waits for a person, and an hour of trouble must cost a few of them, not all.
 *
 * It opens after three unknown outcomes, or three denials (401, 403), in a row. While it is open a submit answers "not
 * sent", apart from one at a time, at most once a second, that first reads the workspace and goes on when that
 * succeeds. A complete answer to it closes the breaker for all. It does not close by the read alone: a service that
 * reads and cannot write would get everything that waits, again and again, before the first outcome tells.
 *
 * Where access is denied, what is held back for the same workspace is answered as denied, not as "not sent": both send
 * nothing, and a run has only so much patience with denials (`SEGUE_AUTH_GRACE`), which would never end otherwise.
 *
 * One object for each credential and process. It knows nothing of Temporal.
 */
import { shorten, StatusError } from '../../api/errors';
import { type SubmitOutcome } from '../../api/outcomes';
import { formatDuration } from '../../contract/durations';

const MOST_IN_A_ROW = 3;
const SHORTEST_PAUSE_MS = 1_000;
/** A submit that goes on and ends as unknown costs a person's time, so those become rarer. */
const LONGEST_PAUSE_MS = 60_000;

export type BreakerChange = { to: 'open'; why: string } | { to: 'closed'; openMs: number };

export interface BreakerOptions {
  onChange?: (change: BreakerChange) => void;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** What happened in a row since a complete answer. The two are apart: neither tells of the other's trouble. */
interface Closed {
  is: 'closed';
  unknown: number;
  denied: number;
}

interface Open {
  is: 'open';
  since: number;
  why: string;
  /** What the last try met. */
  latest?: string;
  /** By which the service denies access, and to whom, if that is the trouble. */
  denial?: { status: number; to: string };
  /** Whether a submit is finding out how the service is. */
  trying: boolean;
  pauseMs: number;
  nextTryAt: number;
}

/** Whom a denial with this status would be about. */
type WhoIsDenied = (status: number) => string;

/** What an outcome tells of the service. One that was never sent, or was refused before that, tells nothing. */
type Sign = 'well' | 'denied' | 'unknown' | 'none';

export class Breaker {
  /** Replaced at each change, so that whoever set out before the change is told from those after it. */
  #phase: Closed | Open = closed();
  readonly #onChange: (change: BreakerChange) => void;
  readonly #now: () => number;

  constructor({ onChange = () => undefined, now = monotonicNow }: BreakerOptions = {}) {
    this.#onChange = onChange;
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#phase.is === 'open';
  }

  /** Sends one POST, or answers "not sent". `read` asks the service for something that changes nothing. */
  async pass(
    who: WhoIsDenied,
    read: () => Promise<unknown>,
    send: () => Promise<SubmitOutcome>,
  ): Promise<SubmitOutcome> {
    const phase = this.#phase;
    if (phase.is === 'open') return this.#try(phase, who, read, send);
    const outcome = await send();
    // What set out before a change tells of the time before it, and must neither open nor mend what came after.
    if (phase === this.#phase) this.#count(phase, who, outcome);
    return outcome;
  }

  #count(phase: Closed, who: WhoIsDenied, outcome: SubmitOutcome): void {
    const sign = signOf(outcome);
    if (sign === 'none') return;
    if (sign === 'well') {
      phase.unknown = phase.denied = 0;
      return;
    }
    phase[sign] += 1;
    if (phase[sign] >= MOST_IN_A_ROW) this.#open(sign, who, outcome);
  }

  #open(sign: 'denied' | 'unknown', who: WhoIsDenied, outcome: SubmitOutcome): void {
    const trouble = sign === 'denied' ? 'denials of access' : 'submits of unknown outcome';
    const why = `${MOST_IN_A_ROW} ${trouble} in a row, the last: ${wordsOf(outcome)}`;
    const now = this.#now();
    this.#phase = {
      is: 'open',
      since: now,
      why,
      denial: denialOf(who, deniedStatus(outcome)),
      trying: false,
      pauseMs: SHORTEST_PAUSE_MS,
      nextTryAt: now,
    };
    this.#onChange({ to: 'open', why });
  }

  /** Lets this submit through when the service can be read; the others meanwhile answer at once. */
  async #try(
    open: Open,
    who: WhoIsDenied,
    read: () => Promise<unknown>,
    send: () => Promise<SubmitOutcome>,
  ): Promise<SubmitOutcome> {
    if (open.trying || this.#now() < open.nextTryAt) return heldBack(open, who, this.#now());
    open.trying = true;
    try {
      try {
        await read();
      } catch (error) {
        open.latest = shorten(error instanceof Error ? error.message : String(error));
        const status = error instanceof StatusError && isDenial(error.status) ? error.status : undefined;
        open.denial = denialOf(who, status);
        return heldBack(open, who, this.#now());
      }
      const outcome = await send();
      this.#judge(open, who, outcome);
      return outcome;
    } finally {
      open.trying = false;
      open.nextTryAt = this.#now() + open.pauseMs;
    }
  }

  #judge(open: Open, who: WhoIsDenied, outcome: SubmitOutcome): void {
    const sign = signOf(outcome);
    open.latest = wordsOf(outcome);
    open.denial = denialOf(who, deniedStatus(outcome));
    if (sign === 'unknown') open.pauseMs = Math.min(open.pauseMs * 2, LONGEST_PAUSE_MS);
    if (sign !== 'well') return;
    this.#phase = closed();
    this.#onChange({ to: 'closed', openMs: this.#now() - open.since });
  }
}

function closed(): Closed {
  return { is: 'closed', unknown: 0, denied: 0 };
}

function signOf(outcome: SubmitOutcome): Sign {
  switch (outcome.outcome) {
    case 'accepted':
      return 'well';
    case 'refused':
      if (outcome.status === undefined) return 'none';
      return isDenial(outcome.status) ? 'denied' : 'well';
    case 'unknown':
      return 'unknown';
    case 'notSent':
      return 'none';
    default:
      return outcome satisfies never;
  }
}

function isDenial(status: number): boolean {
  return status === 401 || status === 403;
}

function deniedStatus(outcome: SubmitOutcome): number | undefined {
  return signOf(outcome) === 'denied' && outcome.outcome === 'refused' ? outcome.status : undefined;
}

function denialOf(who: WhoIsDenied, status: number | undefined): Open['denial'] {
  return status === undefined ? undefined : { status, to: who(status) };
}

function wordsOf(outcome: SubmitOutcome): string {
  return outcome.outcome === 'accepted' ? '' : outcome.reason;
}

function heldBack({ why, latest, since, denial }: Open, who: WhoIsDenied, now: number): SubmitOutcome {
  const reason =
    `not sent: this worker holds submits back since ${new Date(since).toISOString()} ` +
    `(${formatDuration(now - since)}), after ${why}. ` +
    (latest === undefined ? '' : `Its last try: ${latest}. `) +
    'It sends one when the workspace can be read, and all others when that one is answered';
  const { status, to } = denial ?? {};
  const isDenied = status !== undefined && who(status) === to;
  return isDenied ? { outcome: 'refused', status, reason } : { outcome: 'notSent', reason };
}

function monotonicNow(): number {
  return performance.timeOrigin + performance.now();
}
