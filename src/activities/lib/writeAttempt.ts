/** One attempt to write several projects: its time limits, and its heartbeats about PATCHes without an ETag. */
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { type CallOptions } from '../../api/client';
import { LONGEST_CALL_MS, RECORDING_MARGIN_MS, type Scope, type WriteNotes } from '../../contract';
import { Heartbeat } from '../atMostOnce/heartbeat';
import { callOptions } from './calls';

/** Of one call, when other projects wait for the end of the attempt. */
const SHORT_CALL_MS = 5_000;

/** A PATCH is sent within so long after it was confirmed. */
const SHORTEST_CONFIRMED_MS = 2_000;

export interface WriteLimits {
  /** How long the service may take to answer one read or PATCH. */
  writeTimeoutMs?: number;
  maxProjectMiB?: number;
}

/** The requests of one project. */
export interface ProjectCalls {
  /** The options of the next request; throws when the attempt has no time left for it. */
  next(): CallOptions;
  /** Gives until when a PATCH may be sent; 0 for never. One without an ETag is noted at the server first. */
  beforePatch(isGuarded: boolean): Promise<number>;
  /** Whether this project has taken longer than one request may. */
  isSlow(): boolean;
  /** When a PATCH that failed just now cannot arrive any more. */
  settledAt(): number;
}

export class WriteAttempt {
  readonly #heartbeat = new Heartbeat();
  /** Of an attempt before this one, which an operator repeats. */
  readonly #earlier: WriteNotes = { ...(activityInfo().heartbeatDetails as WriteNotes | undefined) };
  readonly #notes: WriteNotes = { ...this.#earlier };
  readonly #begunAt = Date.now();
  readonly #requestId = callOptions('writeProjects', {}).requestId;
  readonly #endsAt = Date.now() + activityInfo().startToCloseTimeoutMs - RECORDING_MARGIN_MS;
  readonly #timeoutMs: number;
  readonly #settleMs: number;
  readonly #largestBytes: number | undefined;
  #calls = 0;
  #confirming?: Promise<number>;
  #confirmedUntil = 0;

  constructor({ writeTimeoutMs = LONGEST_CALL_MS, maxProjectMiB }: WriteLimits, isSlow: boolean) {
    this.#settleMs = writeTimeoutMs;
    this.#timeoutMs = isSlow ? writeTimeoutMs : Math.min(writeTimeoutMs, SHORT_CALL_MS);
    this.#largestBytes = maxProjectMiB === undefined ? undefined : maxProjectMiB * 2 ** 20;
  }

  /** For how long a PATCH of an earlier attempt may still arrive; not positive when it cannot. */
  unsettledMs(index: number): number {
    return (this.#earlier[index] ?? 0) - (Date.now() - this.#begunAt);
  }

  next(scope: Scope): CallOptions {
    cancellationSignal().throwIfAborted();
    if (Date.now() + this.#timeoutMs > this.#endsAt) throw new Error('this write had no time left for it');
    const requestId = `${this.#requestId}.${++this.#calls}`;
    return { scope, requestId, timeoutMs: this.#timeoutMs, largestBytes: this.#largestBytes };
  }

  callsFor(index: number, scope: Scope): ProjectCalls {
    const begunAt = Date.now();
    return {
      next: () => this.next(scope),
      isSlow: () => Date.now() - begunAt >= this.#timeoutMs,
      beforePatch: (isGuarded) => {
        if (!isGuarded) this.#note(index);
        // With an ETag there is nothing to note, so a heartbeat that was confirmed just now is enough.
        else if (this.#confirmedUntil - Date.now() > SHORTEST_CONFIRMED_MS)
          return Promise.resolve(this.#confirmedUntil);
        return this.#confirm();
      },
      settledAt: () => Date.now() + this.#settleMs,
    };
  }

  /** A note stays for the rest of the attempt: at worst, the project waits without need when this worker dies. */
  #note(index: number): void {
    this.#notes[index] = this.#timeoutMs + this.#settleMs;
    this.#heartbeat.record({ ...this.#notes });
  }

  /** Each confirmed heartbeat is a write at the server, so all PATCHes that wait for one share the next one. */
  async #confirm(): Promise<number> {
    await this.#confirming;
    this.#confirming ??= this.#heartbeat.sendBefore().finally(() => (this.#confirming = undefined));
    this.#confirmedUntil = await this.#confirming;
    return this.#confirmedUntil;
  }

  end(): void {
    this.#heartbeat.stop();
  }
}
