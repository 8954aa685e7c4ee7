/** Runs `bin/segue` as a person or a deployment does: as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../eventually';

const SEGUE = path.resolve(__dirname, '../../../bin/segue');

export type Settings = Record<string, string>;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, as a process. */
export async function spawnSegue(args: string[], settings: Settings = {}, cwd?: string): Promise<Finished> {
  return new SegueProcess(args, settings, cwd).ended();
}

export class SegueProcess {
  readonly child: ChildProcess;
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly #closed: Promise<unknown>;
  #isClosed = false;

  constructor(args: string[], settings: Settings = {}, cwd?: string, command = SEGUE) {
    this.child = spawn(command, args, {
      // Its workers run like those of a deployment.
      env: { ...process.env, TEMPORAL_DEBUG: '', ...settings },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#closed = once(this.child, 'close').then(() => (this.#isClosed = true));
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = this.child[name];
      if (stream) createInterface({ input: stream }).on('line', (line) => this[name].push(line));
    }
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('segue was not started');
    return this.child.pid;
  }

  /** The first line on stdout that matches; an error as soon as the process has ended without one. */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    const matching = () => this.stdout.map((line) => pattern.exec(line)).find((match) => match !== null);
    const match = await eventually(
      `a line like ${String(pattern)} from segue`,
      () => matching() ?? (this.#isClosed && 'ended'),
    );
    if (match === 'ended') throw new Error(`segue ended:\n${this.stderr.join('\n')}`);
    return match;
  }

  async ended(): Promise<Finished> {
    await this.#closed;
    return { code: this.child.exitCode, stdout: this.stdout.join('\n'), stderr: this.stderr.join('\n') };
  }

  /** Sends a signal, unless it has ended, and waits for the end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    return this.ended();
  }
}
