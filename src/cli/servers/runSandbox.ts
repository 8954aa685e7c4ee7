import { loadSeed, originOf, sampleUrls, startSandbox } from '@segue/sandbox';
import { readPace } from './pace';
import { requireFreePorts } from './ports';
import { print, say } from '../lib/io';
import { untilAskedToStop } from './signals';

export interface SandboxFlags {
  port: number;
  host: string;
  db?: string;
  seed?: string;
  pace?: string;
  etags: boolean;
}

export async function runSandbox({ seed: file, ...flags }: SandboxFlags): Promise<void> {
  const pace = readPace(flags.pace);
  const seed = file === undefined ? undefined : await loadSeed(file);
  await requireFreePorts([{ flag: '--port', port: flags.port }]);
  const stopped = untilAskedToStop(() => undefined);
  const running = await startSandbox({ ...flags, pace, seed, onRequest: say });
  print(`ready ${running.url}`);
  say(`page: ${running.url}/  OpenAPI: ${running.url}/openapi.json`);
  say(`samples: ${sampleUrls(running.url).join(' ')}`);
  if (seed && !running.seeded) {
    say(`${flags.db ?? ''} holds a state already, so the seed was not used; delete the file to start anew`);
  }
  await stopped;
  await running.stop();
}

export function printSampleUrls({ host, port }: SandboxFlags): void {
  for (const url of sampleUrls(originOf(host, port))) print(url);
}
