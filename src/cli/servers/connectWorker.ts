import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import { type TemporalConfig } from '../../config';
import { reach } from '../lib/connect';

export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  return reach(config, () => NativeConnection.connect({ ...compressionFor(config), ...config.connection }));
}

/** A server without TLS is near: there, compressing costs it and the worker more than the bytes do. */
function compressionFor({ connection }: TemporalConfig): Pick<NativeConnectionOptions, 'grpcCompression'> {
  const isNear = !connection.tls && !connection.apiKey;
  return isNear ? { grpcCompression: { codec: 'none' } } : {};
}
