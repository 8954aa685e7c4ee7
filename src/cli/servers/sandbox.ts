import {
  loadSeed,
  originOf,
  PACE_FORM,
  type Pace,
  parsePace,
  sampleUrls,
  startSandbox,
} from '@segue/sandbox';
import { print, say, UnreachableError, UsageError } from '../lib/io';
import { untilAskedToStop } from './process';

export interface SandboxFlags {
  port: number;
  host: string;
  db?: string;
  seed?: string;
  pace?: string;
  workspace?: number;
  etags: boolean;
}

export async function runSandbox({ seed: file, workspace, ...flags }: SandboxFlags): Promise<void> {
  const pace = readPace(flags.pace);
  const seed = file === undefined ? undefined : await loadSeed(file);
  const otherIds = workspace === undefined ? undefined : new Map([[workspace, 1]]);
  const options = { ...flags, pace, seed, otherIds, onRequest: say };
  const running = await startSandbox(options).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UnreachableError(`port ${flags.port} is taken; choose another with --port`);
  });
  const stopped = untilAskedToStop();
  print(`ready ${running.url}`);
  say(`page: ${running.url}/  OpenAPI: ${running.url}/openapi.json`);
  say(`samples: ${sampleUrls(running.url).join(' ')}`);
  if (seed && !running.seeded) {
    say(`${flags.db ?? ''} holds a state already, so the seed was not used; delete the file to use the seed`);
  }
  await stopped;
  await running.stop();
}

export function printSampleUrls({ host, port }: SandboxFlags): void {
  for (const url of sampleUrls(originOf(host, port))) print(url);
}

/** Read when the command runs: --help must work without the package of the sandbox. */
export function readPace(text: string | undefined): Pace | undefined {
  if (text === undefined) return undefined;
  const pace = parsePace(text);
  if (!pace) throw new UsageError(`--pace ${text} is invalid: it is ${PACE_FORM}`);
  return pace;
}
