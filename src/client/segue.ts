import { type Client } from '@temporalio/client';
import { loadStarterConfig, loadTemporalConfig, type StarterConfig, type TemporalConfig } from '../config';
import { type PollSettings, type SubmitSettings } from '../contract';
import { assertValid } from '../errors';
import { openClient } from '../temporal/connection';
import { validatePoll, withoutNulls } from '../validation/inputs';
import { type ProjectsOptions } from './projects';
import { SegueClient } from './segueClient';

export interface ConnectOptions extends ProjectsOptions, Partial<Omit<StarterConfig, 'poll' | 'submit'>> {
  /** The Temporal cluster. Default: the one that TEMPORAL_ADDRESS and the other variables of Temporal's tools name. */
  temporal?: Pick<TemporalConfig['connection'], 'address' | 'apiKey' | 'tls' | 'metadata'> & {
    namespace?: string;
  };
  poll?: Partial<PollSettings>;
  submit?: Partial<SubmitSettings>;
}

/** A client with a connection of its own. Where you have a Temporal client, `new SegueClient(client, config)` uses that. */
export class Segue extends SegueClient implements AsyncDisposable {
  private constructor(
    temporal: Client,
    config: StarterConfig,
    options: ProjectsOptions,
    /** Ends the connection; runs continue. */
    readonly close: () => Promise<void>,
  ) {
    super(temporal, config, options);
  }

  /** Options that are left out come from the environment. A `TemporalUnreachable` if the server does not answer. */
  static async connect(options: ConnectOptions = {}): Promise<Segue> {
    const { temporal, findOrganization, poll, submit, ...settings } = options;
    assertValid(validatePoll(poll), 'Segue was not connected');
    const known = loadStarterConfig();
    const config: StarterConfig = {
      ...{ ...known, ...withoutNulls(settings) },
      poll: { ...known.poll, ...withoutNulls(poll ?? {}) },
      submit: { ...known.submit, ...withoutNulls(submit ?? {}) },
    };
    const { address = 'localhost:7233', namespace = 'default' } = temporal ?? {};
    const cluster = temporal
      ? { connection: { ...temporal, address }, address, namespace }
      : loadTemporalConfig();
    const opened = await openClient(cluster);
    return new Segue(opened.temporal, config, { findOrganization }, opened.close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
