import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { type TemporalConfig } from '../config';

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

export async function openClient({ connection: options, namespace }: TemporalConfig) {
  const { address, apiKey, tls, metadata } = options;
  const { connection, close } = await openConnection({
    address,
    apiKey,
    tls,
    metadata,
    connectTimeout: 5_000,
  });
  return { temporal: new Client({ connection, namespace }), close };
}
