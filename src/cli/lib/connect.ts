import { randomUUID } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { type Api, type CallOptions } from '../../api/client';
import { type SegueClient } from '../../client/segueClient';
import { type ProjectsOptions } from '../../client/projects';
import { LONGEST_CALL_MS } from '../../contract';
import {
  apiSettings,
  loadApiConfig,
  loadStarterConfig,
  loadTemporalConfig,
  type StarterConfig,
  type TemporalConfig,
} from '../../config';
import { type ScopeFlags } from './flags';
import { env } from './io';

export interface Connected {
  temporal: Client;
  config: TemporalConfig;
  segue: (config: StarterConfig, options?: ProjectsOptions) => SegueClient;
}

/** Runs `work` with a client of the configured cluster. Temporal's library is loaded here: help need not wait for it. */
export async function withTemporal<T>(
  work: (connected: Connected) => Promise<T>,
  config = loadTemporalConfig(env()),
): Promise<T> {
  const { openClient } = await import('../../temporal/connection.js');
  const { SegueClient } = await import('../../client/segueClient.js');
  const { temporal, close } = await openClient(config);
  try {
    return await work({ temporal, config, segue: (...args) => new SegueClient(temporal, ...args) });
  } finally {
    await close();
  }
}

export async function withSegue<T>(
  work: (segue: SegueClient, connected: Connected) => Promise<T>,
): Promise<T> {
  const config = loadStarterConfig(env());
  return withTemporal((connected) => work(connected.segue(config), connected));
}

/** Runs `work` with the configured service; `options` has a new request id for each call. */
export async function withApi<T>(
  { organization, space }: ScopeFlags,
  work: (api: Api, options: () => CallOptions) => Promise<T>,
): Promise<T> {
  const config = loadApiConfig(env());
  const { createApi } = await import('../../api/client.js');
  const api = createApi(apiSettings(config));
  const options = (): CallOptions => ({
    requestId: `cli-${randomUUID()}`,
    timeoutMs: LONGEST_CALL_MS,
    scope: { organization, space },
  });
  try {
    return await work(api, options);
  } finally {
    await api.close();
  }
}
