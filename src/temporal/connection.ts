import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { type TemporalConfig } from '../config';
import { reasonOf, TemporalUnreachable } from '../errors';

/**
 * A connection that retries nothing once it is closed. The SDK's own retries a pending call in a timer, where the error of
 * the closed channel cannot be caught.
 */
export async function openConnection(
  options: ConnectionOptions,
): Promise<{ connection: Connection; close: () => Promise<void> }> {
  const { retryableDecider, ...usual } = defaultGrpcRetryOptions();
  let isOpen = true;
  const retries = makeGrpcRetryInterceptor({
    ...usual,
    retryableDecider: (attempt, status) => isOpen && retryableDecider(attempt, status),
  });
  const connection = await Connection.connect({ ...options, interceptors: [retries] });
  const close = async (): Promise<void> => {
    isOpen = false;
    await connection.close();
  };
  return { connection, close };
}

export async function openClient(
  config: TemporalConfig,
  { dataConverter }: { dataConverter?: DataConverter } = {},
) {
  const { address, apiKey, tls, metadata } = config.connection;
  const { connection, close } = await reach(config, () =>
    openConnection({ address, apiKey, tls, metadata, connectTimeout: 5_000 }),
  );
  return { temporal: new Client({ connection, namespace: config.namespace, dataConverter }), close };
}

export async function reach<T>({ address }: TemporalConfig, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new TemporalUnreachable(
      `Temporal at ${address} cannot be reached: ${reasonOf(error)}\n` +
        'Is TEMPORAL_ADDRESS right? On this machine, `segue dev` starts a server.',
      { cause: error },
    );
  }
}
