import { Client } from '@temporalio/client';
import { SegueClient } from '../../client/segueClient';
import { type TemporalConfig } from '../../config';
import { openConnection } from '../../temporal/connection';
import { type Connected } from './connect';

/** A file of its own, loaded on demand: loading Temporal's library takes noticeable time. */
export async function openClient(
  config: TemporalConfig,
): Promise<Connected & { close: () => Promise<void> }> {
  const { address, apiKey, tls, metadata } = config.connection;
  const { connection, close } = await openConnection({
    ...{ address, apiKey, tls, metadata },
    connectTimeout: 5_000,
  });
  const temporal = new Client({ connection, namespace: config.namespace });
  return {
    temporal,
    config,
    segue: (...args) => new SegueClient(temporal, ...args),
    close,
  };
}
