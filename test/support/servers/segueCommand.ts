/** Runs a command within the test process: what it prints, reads and returns is what `bin/segue` does. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../../src/cli/main';
import { type Finished, type Settings } from './segueProcess';

export async function segue(args: string[], settings: Settings = {}, stdin = ''): Promise<Finished> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const io = {
    env: { ...process.env, ...settings },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
  };
  const code = await main(['node', 'segue', ...args], io);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out.trimEnd(), stderr: err.trimEnd() };
}
