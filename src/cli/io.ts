/** Where a command reads and writes: the process, or what the caller of `main` gave instead. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Readable, type Writable } from 'node:stream';
import { type Environment } from '../config';
import { EXIT, type ExitCode } from './exit';

export interface Io {
  env: Environment;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number };
}

interface RunningCommand {
  io: Io;
  exitCode: ExitCode;
}

/** Commands that run at the same time in one process each have their own. */
const running = new AsyncLocalStorage<RunningCommand>();

/** Runs a command with these streams and settings and returns the exit code that it set. */
export async function withIo(given: Io, command: () => Promise<void>): Promise<ExitCode> {
  const state: RunningCommand = { io: given, exitCode: EXIT.done };
  await running.run(state, command);
  return state.exitCode;
}

export function io(): Io {
  return running.getStore()?.io ?? process;
}

/** The environment of the command. */
export function env(): Environment {
  return io().env;
}

export function setExitCode(code: ExitCode): void {
  const state = running.getStore();
  if (state) state.exitCode = code;
}
