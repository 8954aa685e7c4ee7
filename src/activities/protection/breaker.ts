/**
 * The circuit breaker stops the submits of a worker while the service is in trouble: each POST with an unknown outcome
 * is a job that waits for a person, and an hour of trouble must cost a few jobs, not all.
 *
 * It opens after three unknown outcomes, or three denials (401, 403), in a row. While it is open a submit answers "not
 * sent", apart from one at a time, at most once a second, that first reads the workspace and is sent when the read
 * succeeds. A complete answer to that submit closes the breaker. The read alone does not close it: a service that can
 * read and cannot write would get all waiting submits, again and again, before the first outcome is known.
 *
 * While access is denied, a submit for the same workspace is answered as denied, not as "not sent". Both send nothing,
 * but a run ends after `SEGUE_AUTH_GRACE` of denials, and "not sent" would keep it waiting for ever.
 */
import { StatusError } from '../../api/errors';
import { type SubmitOutcome } from '../../api/outcomes';
import { isAccessDenied } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { truncate } from '../../api/json';

const MOST_IN_A_ROW = 3;
const SHORTEST_PAUSE_MS = 1_000;
/** A try that ends as unknown costs a person's time, so tries become rarer. */
const LONGEST_PAUSE_MS = 60_000;

export type BreakerChange = { to: 'open'; why: string } | { to: 'closed'; openMs: number };

export interface BreakerOptions {
  onChange?: (change: BreakerChange) => void;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** Outcomes in a row since a complete answer. Unknown ones and denials are counted apart: they are different troubles. */
interface Closed {
  is: 'closed';
  unknown: number;
  denied: number;
}

interface Open {
  is: 'open';
  since: number;
  why: string;
  latest?: string;
  /** The status that denies access, and to whom, if that is the trouble. */
  denial?: { status: number; to: string };
  trying: boolean;
  pauseMs: number;
  nextTryAt: number;
}

/** Whom a denial with this status would be about. */
type WhoIsDenied = (status: number) => string;

/** What an outcome says about the service: nothing when the request was never sent. */
type Sign = 'well' | 'denied' | 'unknown' | 'none';

export class Breaker {
  /** A new object at each change, so that a submit can see whether the phase changed while it was in flight. */
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

  /** Sends one POST, or answers "not sent". `read` is a request that changes nothing. */
  async pass(
    who: WhoIsDenied,
    read: () => Promise<unknown>,
    send: () => Promise<SubmitOutcome>,
  ): Promise<SubmitOutcome> {
    const phase = this.#phase;
    if (phase.is === 'open') return this.#try(phase, who, read, send);
    const outcome = await send();
    // An outcome of a submit sent before the change must neither open nor close the breaker after it.
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
    const why = `${MOST_IN_A_ROW} ${trouble} in a row, the last: ${reasonOf(outcome)}`;
    const now = this.#now();
    this.#phase = {
      is: 'open',
      since: now,
      why,
      denial: denialIn(outcome, who),
      trying: false,
      pauseMs: SHORTEST_PAUSE_MS,
      nextTryAt: now,
    };
    this.#onChange({ to: 'open', why });
  }

  /** Sends this submit when the service can be read; the others are held back until then. */
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
        open.latest = truncate(error instanceof Error ? error.message : String(error));
        open.denial = error instanceof StatusError ? denialOf(error.status, who) : undefined;
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
    open.latest = reasonOf(outcome);
    open.denial = denialIn(outcome, who);
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
      return isAccessDenied(outcome.status) ? 'denied' : 'well';
    case 'unknown':
      return 'unknown';
    case 'notSent':
      return 'none';
  }
}

function denialIn(outcome: SubmitOutcome, who: WhoIsDenied): Open['denial'] {
  return outcome.outcome === 'refused' ? denialOf(outcome.status, who) : undefined;
}

function denialOf(status: number | undefined, who: WhoIsDenied): Open['denial'] {
  return status !== undefined && isAccessDenied(status) ? { status, to: who(status) } : undefined;
}

function reasonOf(outcome: SubmitOutcome): string {
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
