import { sampleUrls } from '../../sandbox/images/samples';
import { type Pace } from '../../sandbox/pace';
import { loadSeed } from '../../sandbox/seed';
import { startSandbox } from '../../sandbox/server';
import { requireFreePorts } from './ports';
import { print, say } from '../lib/io';
import { untilAskedToStop } from './signals';

export interface SandboxFlags {
  port: number;
  host: string;
  db?: string;
  seed?: string;
  pace?: Pace;
  etags: boolean;
}

export async function runSandbox({ seed: file, ...flags }: SandboxFlags): Promise<void> {
  const seed = file === undefined ? undefined : await loadSeed(file);
  await requireFreePorts([{ flag: '--port', port: flags.port }]);
  const stopped = untilAskedToStop(() => undefined);
  const running = await startSandbox({ ...flags, seed, onRequest: say });
  print(`ready ${running.url}`);
  say(`page: ${running.url}/  OpenAPI: ${running.url}/openapi.json`);
  say(`samples: ${sampleUrls(running.url).join(' ')}`);
  if (seed && !running.seeded) {
    say(`${flags.db ?? ''} holds a state already, so the seed was not used; delete the file to start anew`);
  }
  await stopped;
  await running.stop();
}
