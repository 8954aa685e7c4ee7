import { type Client } from '@temporalio/client';
import { type StarterConfig } from '../config';
import { BatchesClient } from './batches';
import { CampaignsClient } from './campaigns';
import { MediaClient, RecordsClient, TranscriptsClient } from './jobs';
import { findHeld, type HeldList, type HeldOptions } from './jobs/held';
import { type Job, jobOf } from './jobs/job';
import { find } from '../runs/find';
import { OutlooksClient } from './outlooks';
import { ProjectsClient, type ProjectsOptions } from './projects';
import { SchedulesClient } from './schedules';

export class SegueClient {
  readonly media: MediaClient;
  readonly transcripts: TranscriptsClient;
  readonly records: RecordsClient;
  readonly projects: ProjectsClient;
  readonly campaign: CampaignsClient;
  readonly batch: BatchesClient;
  readonly outlooks: OutlooksClient;
  readonly schedules: SchedulesClient;

  constructor(
    private readonly temporal: Client,
    config: StarterConfig,
    options: ProjectsOptions = {},
  ) {
    this.media = new MediaClient(temporal, config);
    this.transcripts = new TranscriptsClient(temporal, config);
    this.records = new RecordsClient(temporal, config);
    this.batch = new BatchesClient(temporal, config);
    this.campaign = new CampaignsClient(temporal, config);
    this.projects = new ProjectsClient(temporal, config, options);
    this.outlooks = new OutlooksClient(temporal, config);
    this.schedules = new SchedulesClient(temporal, config);
  }

  async job(workflowId: string): Promise<Job> {
    return jobOf(this.temporal, await find(this.temporal, workflowId));
  }

  /** What needs a person, oldest first. */
  held(options: HeldOptions = {}): Promise<HeldList> {
    return findHeld(this.temporal, options);
  }
}
