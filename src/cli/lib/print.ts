/** Results go to stdout, everything said on the way to stderr. */
import { io } from './io';

export function print(line: string): void {
  io().stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

export function say(line: string): void {
  io().stderr.write(`${line}\n`);
}

/** Whoever reads them may stop early, as `head` does. Nobody is left to tell anything, and nothing went wrong. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit();
    });
}
