/** Where a command reads and writes: the process, or what the caller of `main` gave instead. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Readable, type Writable } from 'node:stream';
import { type Environment } from '../../config';

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

/** The environment of the command. */
export function env(): Environment {
  return io().env;
}
