/** What a command reads and writes, and the exit codes for scripts. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { userInfo } from 'node:os';
import { type Readable, type Writable } from 'node:stream';
import { type JobReport } from '../../client/report';
import { type Environment } from '../../config';
import { reasonOf } from '../../errors';

export { reasonOf };

/** The streams of the process, or those that the caller of `main` gave. */
export interface Io {
  env: Environment;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  exitCode?: NodeJS.Process['exitCode'];
}

/** Commands that run at the same time in one process each have their own. */
const current = new AsyncLocalStorage<Io>();

export function withIo(given: Io, command: () => Promise<void>): Promise<void> {
  given.exitCode = undefined;
  return current.run(given, command);
}

export function io(): Io {
  return current.getStore() ?? process;
}

export function env(): Environment {
  return io().env;
}

export function exiting<Args extends unknown[]>(
  work: (...args: Args) => Promise<ExitCode>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    io().exitCode = await work(...args);
  };
}

export function print(line: string): void {
  io().stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

export function say(line: string): void {
  io().stderr.write(`${line}\n`);
}

/** Ends the process without an error when its reader stops early, as `head` does. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
}

/** The user of this machine. A user without a name, as in many containers, has a number. */
export function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

export const EXIT = {
  done: 0,
  failed: 1,
  wrongInput: 2,
  held: 3,
  unreachable: 4,
  stillRunning: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_OF: Record<JobReport['status'], ExitCode> = {
  succeeded: EXIT.done,
  unsaved: EXIT.failed,
  held: EXIT.held,
  running: EXIT.stillRunning,
  failed: EXIT.failed,
  abandoned: EXIT.failed,
  cancelled: EXIT.failed,
  terminated: EXIT.failed,
};

export function isOpen({ status }: Pick<JobReport, 'status'>): boolean {
  return status === 'running' || status === 'held';
}

/** Temporal, the API or a port that a command needs is not available. */
export class UnreachableError extends Error {}

/** Temporal went away while a command waited for a job. The job continues. */
export class ConnectionLostError extends UnreachableError {
  constructor(
    readonly job: { workflowId: string; runId: string; key: string },
    cause: unknown,
    follow: string,
  ) {
    super(`Lost the connection; ${job.workflowId} continues: ${reasonOf(cause)}\nFollow it: ${follow}`, {
      cause,
    });
  }
}

export class UsageError extends Error {}
