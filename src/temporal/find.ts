/** Finds a Temporal server for development and tests: the first of five places that has one. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type LocalTemporalConfig, withoutTemporalSettings } from '../config';
import { NoTemporalError, reasonOf } from '../errors';
import { buildTemporalCli } from './build';
import { downloadWithSdk } from './download';
import { runToEnd } from './process';
import { isRecentServer, OLDEST_SERVER, TEMPORAL_CLI_VERSION } from './versions';
import { lock } from 'proper-lockfile';

interface FoundBinary {
  path: string;
  serverVersion: string;
  origin: string;
}

export type Say = (line: string) => void;

/** The binary to run, whatever cluster may be there already. */
export async function findTemporalBinary(config: LocalTemporalConfig, say: Say): Promise<FoundBinary> {
  const binary = await lookForBinary(config, say);
  say(`Temporal: server ${binary.serverVersion}, ${binary.origin} (${binary.path})`);
  return binary;
}

async function lookForBinary(config: LocalTemporalConfig, say: Say): Promise<FoundBinary> {
  if (config.cli) return requireBinary(config.cli, 'named by SEGUE_TEMPORAL_CLI');
  const onPath = findOnPath(config.searchPath);
  if (onPath) {
    const found = await checkBinary(onPath, 'found on the PATH');
    if (typeof found === 'object') return found;
    say(`not taken: ${onPath} ${found}`);
  }
  const cached = path.join(config.cacheFolder, `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
  return (await takeCached(cached)) ?? obtain(cached, config, say);
}

async function takeCached(cached: string): Promise<FoundBinary | undefined> {
  const found = await checkBinary(cached, 'cached earlier');
  return typeof found === 'object' ? found : undefined;
}

async function obtain(target: string, config: LocalTemporalConfig, say: Say): Promise<FoundBinary> {
  const waiting = (): void => {
    say('another start is getting the Temporal server; waiting for it');
  };
  return underLock(path.dirname(target), waiting, async () => {
    // The process that held the lock before may have done the work.
    const cached = await takeCached(target);
    if (cached) return cached;
    const noDownload = await downloadWithSdk({ version: TEMPORAL_CLI_VERSION }, target, config.proxy);
    if (noDownload === undefined) return requireBinary(target, 'downloaded by the Temporal SDK');
    say(`no download (${noDownload}); building the Temporal server from its Go modules, some minutes, once`);
    try {
      await buildTemporalCli(target, say);
    } catch (error) {
      throw new NoTemporalError(
        [
          'There is no Temporal server to run on.',
          `  download: ${noDownload}`,
          `  build: ${reasonOf(error)}`,
          'Install Go 1.26 or newer (https://go.dev/dl), or the Temporal CLI (https://docs.temporal.io/cli),',
          'or set TEMPORAL_ADDRESS to a cluster that runs, or SEGUE_TEMPORAL_CLI to a `temporal` binary.',
        ].join('\n'),
      );
    }
    return requireBinary(target, 'built from its Go modules');
  });
}

async function requireBinary(file: string, origin: string): Promise<FoundBinary> {
  const found = await checkBinary(file, origin);
  if (typeof found === 'string') throw new NoTemporalError(`${file}, ${origin}, ${found}`);
  return found;
}

async function checkBinary(file: string, origin: string): Promise<FoundBinary | string> {
  try {
    const { code, tail } = await runToEnd(file, ['--version'], { env: withoutTemporalSettings() });
    const serverVersion = /Server (\d+\.\d+\.\d+)/.exec(tail.join(' '))?.[1];
    if (code !== 0 || serverVersion === undefined)
      return 'does not tell its version; is it the Temporal CLI?';
    if (isRecentServer(serverVersion)) return { path: file, serverVersion, origin };
    return `holds server ${serverVersion}; Segue needs ${OLDEST_SERVER.major}.${OLDEST_SERVER.minor} or newer`;
  } catch (error) {
    return `cannot be run: ${reasonOf(error)}`;
  }
}

function findOnPath(searchPath: string): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, 'temporal')).find((file) => existsSync(file));
}

/**
 * Runs `work` in one process at a time. A lock whose holder died is taken over after ten seconds, so waiting is
 * bounded by the work itself.
 */
export async function underLock<T>(folder: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const options = { stale: 10_000, update: 2_000 };
  const release = await lock(folder, options).catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    onWait();
    return lock(folder, { ...options, retries: { forever: true, minTimeout: 250, maxTimeout: 1_000 } });
  });
  try {
    return await work();
  } finally {
    await release();
  }
}
