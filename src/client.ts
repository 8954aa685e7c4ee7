/** What a backend team imports: start a job, follow it, get its result, decide what is held. */
import { type Client } from '@temporalio/client';
import { type StarterConfig } from './config';
import { findHeld, type HeldList, type HeldOptions } from './held';
import { MediaClient } from './mediaClient';
import { ProjectsClient, type ProjectsOptions } from './projects';

export class SegueClient {
  readonly media: MediaClient;
  readonly projects: ProjectsClient;

  constructor(
    private readonly temporal: Client,
    config: StarterConfig,
    options: ProjectsOptions = {},
  ) {
    this.media = new MediaClient(temporal, config);
    this.projects = new ProjectsClient(temporal, config, options);
  }

  /** What needs a person, oldest first. */
  held(options: HeldOptions = {}): Promise<HeldList> {
    return findHeld(this.temporal, options);
  }
}
