/** Finds a Temporal server for development and tests: the first of five sources that has one. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildTemporalCli } from './build';
import { downloadWithSdk, type ProxySettings } from './download';
import { withoutTemporalSettings } from './environment';
import { underLock } from './lock';
import { runToEnd } from './process';

/** `server/go.mod` pins the same version. */
export const TEMPORAL_CLI_VERSION = '1.8.2';

/** The oldest minor version of the server 1 that has all that Segue uses. */
const OLDEST_MINOR = 29;

export interface FindOptions {
  /** `SEGUE_TEMPORAL_CLI`: the binary to use. */
  cli?: string;
  /** As in PATH. */
  searchPath: string;
  cacheFolder: string;
  proxy: ProxySettings;
}

/** Thrown when this machine has no Temporal server; the message says what was tried and what to install. */
export class NoTemporalError extends Error {
  override readonly name = 'NoTemporalError';
}

interface FoundBinary {
  path: string;
  serverVersion: string;
  origin: string;
}

export type Say = (line: string) => void;

export async function findTemporalBinary(config: FindOptions, say: Say): Promise<FoundBinary> {
  const binary = await lookForBinary(config, say);
  say(`Temporal: server ${binary.serverVersion}, ${binary.origin} (${binary.path})`);
  return binary;
}

async function lookForBinary(config: FindOptions, say: Say): Promise<FoundBinary> {
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

async function obtain(target: string, config: FindOptions, say: Say): Promise<FoundBinary> {
  const waiting = (): void => {
    say('another start is getting the Temporal server; waiting for it');
  };
  return underLock(path.dirname(target), waiting, async () => {
    // Another process may have finished the work while this one waited for the lock.
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
          `  build: ${error instanceof Error ? error.message : String(error)}`,
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
      return 'does not print its version; is it the Temporal CLI?';
    const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
    if (major === 1 && minor < OLDEST_MINOR)
      return `holds server ${serverVersion}; Segue needs 1.${OLDEST_MINOR} or newer`;
    return { path: file, serverVersion, origin };
  } catch (error) {
    return `cannot be run: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function findOnPath(searchPath: string): string | undefined {
  const folders = searchPath.split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, 'temporal')).find((file) => existsSync(file));
}
