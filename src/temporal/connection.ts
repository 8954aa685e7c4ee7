import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

/**
 * A connection that retries nothing once it is closed. The SDK's own retries a pending call in a timer, and there the
 * closed channel throws where nobody can catch it.
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
