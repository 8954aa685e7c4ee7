/** One request on its way: whether it was sent at all, how long it may take, and its answer as it comes in. */
import { type IncomingHttpHeaders } from 'node:http';
import { type Dispatcher } from 'undici';

const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;

export interface WholeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** When it began, by this machine's clock. */
  at: number;
  body: string;
}

/** How long it may take until it is complete, and from when on it is not written any more. */
export interface ExchangeLimits {
  timeoutMs: number;
  sendBefore?: number;
}

/** undici tells it everything that becomes of the request. A stream and a signal for each would cost as much again. */
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

  constructor(limits: ExchangeLimits) {
    this.#limits = limits;
  }

  /** A complete answer of any status, or why there is none. */
  run(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<WholeAnswer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#clock = setTimeout(() => {
        this.#stop(new TimeOverError());
      }, this.#limits.timeoutMs);
      // It has a clock of its own, for all of it.
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, this);
    });
  }

  /** undici calls this in the tick in which it writes the request, and writes nothing after an abort here. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.sent) {
      // Whatever made the dispatcher think of it.
      controller.abort(new Error('it was about to be sent a second time, and was not'));
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
    // What is below only announces an answer.
    if (status >= 200) this.#head = { status, headers, at: Date.now() };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > LARGEST_ANSWER_BYTES) this.#stop(new Error('the answer is over 8 MiB and was cut off'));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end();
    this.#resolve({ ...this.#head, body: Buffer.concat(this.#chunks).toString('utf8') });
  }

  onResponseError(_controller: Dispatcher.DispatchController, why: Error): void {
    this.#end();
    this.#reject(why);
  }

  /** Whether or not it has a connection yet: one that it gets later finds it over. */
  #stop(why: Error): void {
    this.#end();
    this.#reject(why);
    this.#controller?.abort(why);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#clock);
  }
}

export class TimeOverError extends Error {
  constructor() {
    super('the time was over');
  }
}
