import { homedir } from 'node:os';
import path from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type NativeConnectionOptions } from '@temporalio/worker';
import { type ProxySettings } from '../platform/plainAgent';
import { readProxy } from './service';
import { type Settings } from './settings';

export interface TemporalConfig {
  connection: NativeConnectionOptions;
  address: string;
  namespace: string;
}

/** What finding a Temporal server on this machine depends on. */
export interface LocalTemporalConfig {
  /** `TEMPORAL_ADDRESS`: a cluster that already runs. */
  existing?: TemporalConfig;
  /** `SEGUE_TEMPORAL_CLI`: the binary to use. */
  cli?: string;
  searchPath: string;
  cacheFolder: string;
  proxy: ProxySettings;
}

/** Address, namespace, API key, TLS and profiles, as every Temporal tool reads them. */
export function readTemporal(settings: Settings): TemporalConfig {
  try {
    const defined = Object.entries(settings.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const profile = loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(defined) });
    const address = profile.connectionOptions.address ?? 'localhost:7233';
    return {
      connection: { ...profile.connectionOptions, address },
      address,
      namespace: profile.namespace ?? 'default',
    };
  } catch (error) {
    settings.problem(`TEMPORAL_*: ${error instanceof Error ? error.message : String(error)}`);
    return { connection: {}, address: '', namespace: '' };
  }
}

const CACHE = process.platform === 'darwin' ? 'Library/Caches' : '.cache';

export function readLocalTemporal(settings: Settings): LocalTemporalConfig {
  return {
    // Only this variable, no profile: a demo must not run on a cluster that some file on this machine names.
    existing: settings.text('TEMPORAL_ADDRESS') ? readTemporal(settings) : undefined,
    cli: settings.get('SEGUE_TEMPORAL_CLI'),
    searchPath: settings.env.PATH ?? '',
    cacheFolder: path.join(settings.text('XDG_CACHE_HOME') ?? path.join(homedir(), CACHE), 'segue'),
    proxy: readProxy(settings),
  };
}
