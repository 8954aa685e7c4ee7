/** One attempt to write several projects: its time, its heartbeats, and what is on the wire. */
import { setTimeout as sleepThroughCancellation } from 'node:timers/promises';
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { type CallOptions } from '../../api/client';
import { type ApiError } from '../../api/errors';
import { type WriteNotes } from '../../contract';
import { Heartbeat } from '../atMostOnce/heartbeat';
import { callOptions } from '../calls';
import { type Slots } from '../protection/slots';

/** Of a request to one of several projects: a project that hangs must not keep the outcomes of the others. */
const SHORT_TIMEOUT_MS = 5_000;
/** A read this close to the end of the attempt has no time for its PATCH. */
const LAST_MOMENTS_MS = 15_000;

/** A PATCH without an ETag has an unknown outcome: until then it may still arrive, and outdate a read. */
export class UnsettledError extends Error {
  constructor(
    readonly failure: ApiError,
    readonly until: number,
  ) {
    super(failure.message);
  }
}

type WriteCallOptions = Pick<CallOptions, 'requestId' | 'timeoutMs' | 'largestBytes'>;

/** What the update of one project needs for its requests. */
export interface WriteCalls {
  /** Sends one request, when there is a slot for it. */
  send<T>(request: (options: WriteCallOptions) => Promise<T>): Promise<T>;
  /** Gives until when a PATCH may be sent; 0 for never. One without an ETag is noted at the server first. */
  beforePatch(isGuarded: boolean): Promise<number>;
  /** The outcome of the PATCH is known. */
  settled(): void;
  /** Until when a PATCH that is sent now may arrive. */
  unsettledUntil(): number;
}

export interface WriteOptions {
  /** How long the service may take to answer one read or PATCH. */
  writeTimeoutMs?: number;
  /** The largest project that is written. */
  maxProjectMiB?: number;
  /** For the requests to projects that this process sends at once. */
  writeSlots?: Slots;
}

export class WriteAttempt {
  readonly isAlone: boolean;
  readonly #slots: Slots;
  readonly #timeoutMs: number;
  readonly #writeTimeoutMs: number;
  readonly #largestBytes: number;
  readonly #requestId: string;
  readonly #endsAt: number;
  readonly #heartbeat = new Heartbeat();
  /** Of an attempt that an operator repeats, too: its PATCHes may still arrive. */
  readonly #notes: WriteNotes;
  readonly #earlier: WriteNotes;
  #confirming: Promise<number> | undefined;
  #calls = 0;

  constructor({ writeSlots, writeTimeoutMs, maxProjectMiB }: Required<WriteOptions>, isAlone: boolean) {
    this.isAlone = isAlone;
    this.#slots = writeSlots;
    this.#largestBytes = maxProjectMiB * 2 ** 20;
    this.#writeTimeoutMs = writeTimeoutMs;
    this.#timeoutMs = isAlone ? writeTimeoutMs : Math.min(writeTimeoutMs, SHORT_TIMEOUT_MS);
    this.#requestId = callOptions('writeProjects', {}).requestId;
    this.#endsAt = Date.now() + activityInfo().startToCloseTimeoutMs - LAST_MOMENTS_MS;
    this.#earlier = { ...(activityInfo().heartbeatDetails as WriteNotes | undefined) };
    this.#notes = { ...this.#earlier };
  }

  callsFor(index: number): WriteCalls {
    return {
      send: async (request) => {
        // A PATCH of an earlier attempt may still arrive, and outdate a read before it.
        const wait = (this.#earlier[index] ?? 0) - Date.now();
        if (wait > 0) await sleepThroughCancellation(wait);
        return this.#slots.use(() => {
          cancellationSignal().throwIfAborted();
          if (Date.now() >= this.#endsAt) throw new Error('there was no time left to write it');
          const requestId = `${this.#requestId}.${++this.#calls}`;
          return request({ requestId, timeoutMs: this.#timeoutMs, largestBytes: this.#largestBytes });
        });
      },
      beforePatch: (isGuarded) => {
        if (!isGuarded) {
          this.#notes[index] = this.#unsettledUntil();
          this.#heartbeat.record({ ...this.#notes });
        }
        return this.#confirm();
      },
      settled: () => {
        delete this.#notes[index];
        this.#heartbeat.record({ ...this.#notes });
      },
      unsettledUntil: () => this.#unsettledUntil(),
    };
  }

  #unsettledUntil(): number {
    return Date.now() + 2 * this.#writeTimeoutMs;
  }

  /** PATCHes that wait for a confirmed heartbeat share the next one: each is a write at the server. */
  async #confirm(): Promise<number> {
    const underWay = this.#confirming;
    if (underWay) await underWay.catch(() => undefined);
    this.#confirming ??= this.#heartbeat.sendBefore();
    const confirming = this.#confirming;
    try {
      return await confirming;
    } finally {
      if (this.#confirming === confirming) this.#confirming = undefined;
    }
  }

  end(): void {
    this.#heartbeat.stop();
  }
}
