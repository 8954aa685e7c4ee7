/** One request in flight: whether it was sent, its time limit, and its answer while it arrives. */
import { type IncomingHttpHeaders } from 'node:http';
import { type Dispatcher } from 'undici';
import { CondensedObject } from './condensed';

const MIB = 1024 * 1024;
const LARGEST_ANSWER_BYTES = 8 * MIB;
/** No answer is read any further than this. */
export const LARGEST_READ_BYTES = 256 * MIB;

export interface WholeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** When it began, by this machine's clock. */
  at: number;
  body: string;
}

export interface ExchangeLimits {
  /** How long it may take until its answer is complete. */
  timeoutMs: number;
  /** The request is not written after this moment, because its caller has stopped waiting. */
  sendBefore?: number;
  /** The largest answer that is kept whole; by default 8 MiB. */
  largestBytes?: number;
  /** Of a larger answer with status 2xx only these members of its JSON are read; without the first one it is an error. */
  members?: readonly string[];
}

/** The handler that undici calls during the request. It is cheaper than a stream and a signal for each request. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Whether it was started on a connection. */
  sent = false;

  readonly #limits: ExchangeLimits;
  #isOver = false;
  #controller?: Dispatcher.DispatchController;
  #clock?: NodeJS.Timeout;
  #resolve!: (answer: WholeAnswer) => void;
  #reject!: (why: Error) => void;
  #head = { status: 0, headers: {} as IncomingHttpHeaders, at: 0 };
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #condensed?: CondensedObject;

  constructor(limits: ExchangeLimits) {
    this.#limits = limits;
  }

  run(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#clock = setTimeout(() => {
        this.#stop(new TimeOverError('the time was over'));
      }, this.#limits.timeoutMs);
      // One timer limits the whole exchange.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this);
    });
  }

  /** undici calls this in the tick in which it writes the request, and writes nothing after an abort here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.sent) {
      controller.abort(new Error('undici tried to send the request a second time; that was prevented'));
      return;
    }
    if (this.#isOver || Date.now() >= (this.#limits.sendBefore ?? Infinity)) {
      controller.abort(new Error('the time for sending had passed, so nothing was sent'));
      return;
    }
    this.sent = true;
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // A status 1xx only announces an answer.
    if (status >= 200) this.#head = { status, headers, at: Date.now() };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { largestBytes = LARGEST_ANSWER_BYTES, members } = this.#limits;
    const isCondensed = members !== undefined && this.#head.status < 300;
    const most = isCondensed ? LARGEST_READ_BYTES : largestBytes;
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#size > largestBytes && isCondensed) {
      this.#condensed ??= new CondensedObject(members);
      for (const kept of this.#chunks.splice(0)) this.#condensed.write(kept);
    }
    if (this.#size > most)
      this.#stop(
        new OversizeError(`the answer is over ${most / MIB} MiB and was cut off`, this.#head.status),
      );
  }

  onResponseEnd(): void {
    this.#end();
    const body = this.#condensed ? this.#condensed.whole() : Buffer.concat(this.#chunks).toString('utf8');
    if (body !== undefined) this.#resolve({ ...this.#head, body });
    else this.#reject(new Error(`${this.#size} bytes came, and no whole JSON object`));
  }

  onResponseError(_controller: Dispatcher.DispatchController, why: Error): void {
    this.#end();
    this.#reject(why);
  }

  /** Works without a connection too: one that comes later finds the exchange over. */
  #stop(why: Error): void {
    this.#end();
    const body = this.#condensed?.cutOff();
    if (body !== undefined) this.#resolve({ ...this.#head, body });
    else this.#reject(why);
    this.#controller?.abort(why);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#clock);
  }
}

export class TimeOverError extends Error {}

export class OversizeError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}
