import { type Client } from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { loadStarterConfig, loadTemporalConfig, type StarterConfig, type TemporalConfig } from '../config';
import { type PollSettings, type SubmitSettings } from '../contract';
import { assertValid } from '../errors';
import { openClient } from '../temporal/connection';
import { validateSettings, withoutNulls } from '../validation/inputs';
import { SegueClient } from './segueClient';

export interface ConnectOptions extends Partial<Omit<StarterConfig, 'poll' | 'submit'>> {
  /** Default: TEMPORAL_ADDRESS and the other variables of Temporal's tools. If it is given, none of them is read. */
  temporal?: { address: string; namespace?: string } & Pick<
    TemporalConfig['connection'],
    'apiKey' | 'tls' | 'metadata'
  >;
  /** The one of the workers, if they have one: for example one that encrypts. */
  dataConverter?: DataConverter;
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
}

/** A client with a connection of its own. Where you have a Temporal client, `new SegueClient(client, config)` uses that. */
export class Segue extends SegueClient implements AsyncDisposable {
  private constructor(
    temporal: Client,
    config: StarterConfig,
    /** Ends the connection; runs continue. */
    readonly close: () => Promise<void>,
  ) {
    super(temporal, config);
  }

  /** Options that are left out come from the environment. A `TemporalUnreachable` if the server does not answer. */
  static async connect(options: ConnectOptions = {}): Promise<Segue> {
    const { temporal, dataConverter, poll, submit, ...settings } = options;
    assertValid(validateSettings({ poll, submit }), 'Segue was not connected');
    const known = loadStarterConfig();
    const config: StarterConfig = {
      ...{ ...known, ...withoutNulls(settings) },
      poll: { ...known.poll, ...withoutNulls(poll ?? {}) },
      submit: { ...known.submit, ...withoutNulls(submit ?? {}) },
    };
    const cluster = temporal
      ? { connection: temporal, address: temporal.address, namespace: temporal.namespace ?? 'default' }
      : loadTemporalConfig();
    const opened = await openClient(cluster, { dataConverter });
    return new Segue(opened.temporal, config, opened.close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
