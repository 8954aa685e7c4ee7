import { NativeConnection } from '@temporalio/worker';
import { type TemporalConfig } from '../../config';
import { reach } from '../connect';

export async function connectWorker(config: TemporalConfig): Promise<NativeConnection> {
  return reach(config, () => NativeConnection.connect(config.connection));
}
