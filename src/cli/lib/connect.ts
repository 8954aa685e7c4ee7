import { type Client } from '@temporalio/client';
import { type SegueClient } from '../../client/segueClient';
import { type ProjectsOptions } from '../../client/projects';
import { loadTemporalConfig, type StarterConfig, type TemporalConfig } from '../../config';
import { reasonOf, UnreachableError } from './exit';
import { env } from './io';

export interface Connected {
  temporal: Client;
  config: TemporalConfig;
  segue: (config: StarterConfig, options?: ProjectsOptions) => SegueClient;
}

/**
 * Runs `work` with a client of the configured cluster and closes the connection afterwards. Temporal's library is
 * loaded here and not before: help, and a flag that is wrong, need not wait for it.
 */
export async function withTemporal<T>(
  work: (connected: Connected) => Promise<T>,
  config = loadTemporalConfig(env()),
): Promise<T> {
  const { openClient } = await import('./openClient.js');
  const { close, ...connected } = await reach(config, () => openClient(config));
  try {
    return await work(connected);
  } finally {
    await close();
  }
}

/** Names the address when it cannot be reached, and what to do. */
export async function reach<T>(config: TemporalConfig, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new UnreachableError(
      `Temporal at ${config.address} cannot be reached: ${reasonOf(error)}\n` +
        'Is TEMPORAL_ADDRESS right? On this machine, `segue dev` starts a server.',
    );
  }
}
