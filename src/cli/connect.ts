import { Client, Connection } from '@temporalio/client';
import { loadTemporalConfig, type TemporalConfig } from '../config';
import { UnreachableError } from './exit';

export interface Connected {
  temporal: Client;
  config: TemporalConfig;
}

/** Runs `work` with a client of the configured cluster and closes the connection afterwards. */
export async function withTemporal<T>(
  work: (connected: Connected) => Promise<T>,
  config = loadTemporalConfig(),
): Promise<T> {
  const connection = await reach(config, () =>
    Connection.connect({ ...clientOptions(config), connectTimeout: 5_000 }),
  );
  try {
    return await work({ temporal: new Client({ connection, namespace: config.namespace }), config });
  } finally {
    await connection.close();
  }
}

function clientOptions({ connection: { address, apiKey, tls, metadata } }: TemporalConfig) {
  return { address, apiKey, tls, metadata };
}

/** Names the address when it cannot be reached, and what to do. */
export async function reach<T>(config: TemporalConfig, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new UnreachableError(
      `Temporal at ${config.address} cannot be reached: ${error instanceof Error ? error.message : String(error)}\n` +
        'Is TEMPORAL_ADDRESS right? On this machine, `segue dev` starts a server.',
    );
  }
}
