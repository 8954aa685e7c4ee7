import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

/**
 * A connection that asks nothing any more once it is closed. The SDK's own would try a call again that was on its way,
 * in a timer, and there the closed channel throws where nobody can catch it.
 */
export async function openConnection<Kind extends Connection = Connection>(
  options: ConnectionOptions,
  kind: { prototype: Kind } & Pick<typeof Connection, 'connect'> = Connection as never,
): Promise<{ connection: Kind; close: () => Promise<void> }> {
  const { retryableDecider, ...usual } = defaultGrpcRetryOptions();
  let isOpen = true;
  const retries = makeGrpcRetryInterceptor({
    ...usual,
    retryableDecider: (attempt, status) => isOpen && retryableDecider(attempt, status),
  });
  const connection = (await kind.connect({ ...options, interceptors: [retries] })) as Kind;
  const close = async (): Promise<void> => {
    isOpen = false;
    await connection.close();
  };
  return { connection, close };
}
