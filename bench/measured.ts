/** A child process, with its CPU time and memory from /proc. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import readline from 'node:readline';
import { promisify } from 'node:util';

/** The unit of CPU times in /proc: 100 per second on every current Linux. */
const MS_OF_A_TICK = 10;

/** Processor time of all its threads since it began, in milliseconds. */
export function cpuMsOf(pid: number): number {
  // The second field is the command in brackets, and may hold blanks.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_OF_A_TICK;
}

/** Its peak resident memory, in MiB. */
export function peakMiBOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

export interface Script {
  pid: number;
  /** The line of its output that begins with "ready". */
  ready: string;
  stop: () => Promise<void>;
}

/** Starts a Node script, and waits for a line of it that begins with "ready". */
export async function startScript(
  script: string,
  args: string[],
  { env = {}, nodeFlags = [] }: { env?: Record<string, string>; nodeFlags?: string[] } = {},
): Promise<Script> {
  const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  /** May be called again. */
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const lines = readline.createInterface({ input: child.stdout });
  const ready = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('ready')) resolve(line);
    });
    const tooEarly = (): void => {
      reject(new Error(`${script} ${args.join(' ')} ended before it was ready`));
    };
    ended.then(tooEarly, tooEarly);
  });
  return { pid: pidOf(child), ready, stop };
}

/** Runs a Node script to its end; an exit code other than 0 is an error. */
export async function runScript(script: string, args: string[], env: Record<string, string>): Promise<void> {
  await promisify(execFile)(process.execPath, [script, ...args], { env: { ...process.env, ...env } });
}

export function pidOf({ pid }: { pid?: number }): number {
  if (pid === undefined) throw new Error('the process was not started');
  return pid;
}
