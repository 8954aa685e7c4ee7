import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd, stopProcess } from '@segue/devserver';

/** Longer than any grace period, because the machine may be busy. */
const STOP_MS = 60_000;

/** A service of a compose file, as a process. */
export class Service {
  readonly #child: ChildProcess;
  readonly #output: string[] = [];
  /** Its exit code, or why it could not be started. */
  readonly #end: Promise<unknown>;
  #hasEnded = false;

  constructor(
    [program = '', ...args]: string[],
    readonly options: { cwd: string; env: Record<string, string> },
    readonly healthcheck: string[],
  ) {
    this.#child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (data) => this.#output.push(String(data)));
    this.#end = once(this.#child, 'close').then(([code]: unknown[]) => code, String);
    void this.#end.finally(() => (this.#hasEnded = true));
  }

  /** False when it ends before it is healthy. */
  async untilHealthy(): Promise<boolean> {
    const [program = '', ...args] = this.healthcheck;
    while ((await runToEnd(program, args, this.options)).code !== 0) {
      if (this.#hasEnded) return false;
      await sleep(500);
    }
    return true;
  }

  /** False when it ends with another code than 0. */
  async untilSucceeded(): Promise<boolean> {
    return (await this.#end) === 0;
  }

  /** Gives its exit code. */
  async stop(): Promise<unknown> {
    await stopProcess(this.#child, STOP_MS);
    return this.#end;
  }

  /** Its exit code and output. */
  async exitReport(): Promise<string> {
    return `ended with ${String(await this.#end)}:\n${this.#output.join('')}`;
  }
}
