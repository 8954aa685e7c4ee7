import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Finished {
  code: number | null;
  /** The last lines of both outputs. */
  tail: string[];
}

/** Runs a command to its end, handing each line of its outputs to `onLine`. It rejects when it cannot be started. */
export async function runToEnd(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; onLine?: (line: string) => void } = {},
): Promise<Finished> {
  const child = spawnTethered(command, args, options);
  const tail = rememberLines(child, 20, options.onLine);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, tail };
}

/**
 * Starts a process that does not outlive this one, even when this one is killed with -9: a watchdog holds the other end
 * of a pipe, and ends the process and its children when the pipe closes. The process has its own group, so that
 * Ctrl-C reaches only this process, which stops the others in order.
 */
export function spawnTethered(
  command: string,
  args: string[],
  { cwd, env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): ChildProcess {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid === undefined) return child;
  const watchdog = spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -s TERM -- "-$0"', String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  child.once('exit', () => {
    watchdog.kill('SIGKILL');
    watchdog.stdin.destroy();
  });
  return child;
}

export async function stopProcess(child: ChildProcess, patienceMs = 10_000): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await gone;
  clearTimeout(impatience);
}

export class EndedAtStartError extends Error {}

/**
 * Waits until `probe` succeeds. Throws when the process ends before that (an {@link EndedAtStartError}), or takes longer
 * than a minute.
 */
export async function untilServing(
  child: ChildProcess,
  name: string,
  probe: () => Promise<void>,
): Promise<void> {
  const lastLines = rememberLines(child, 10);
  let problem = 'it took too long';
  child.once('error', (error) => {
    problem = error.message;
  });
  const giveUpAt = Date.now() + 60_000;
  while (Date.now() < giveUpAt) {
    await sleep(100);
    if (hasEnded(child)) {
      problem = 'it ended';
      break;
    }
    try {
      await probe();
      return;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  const isOver = hasEnded(child);
  await stopProcess(child);
  const message = [`${name} did not start: ${problem}`, ...lastLines].join('\n');
  throw isOver ? new EndedAtStartError(message) : new Error(message);
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** The list always holds the last lines of both outputs. */
function rememberLines(child: ChildProcess, most: number, onLine?: (line: string) => void): string[] {
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr])
    if (input)
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        if (lines.length > most) lines.shift();
        onLine?.(line);
      });
  return lines;
}
