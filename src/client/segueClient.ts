import { type Client } from '@temporalio/client';
import { type StarterConfig } from '../config';
import { BatchesClient } from './batches';
import { CampaignsClient } from './campaigns';
import { MediaClient, RecordsClient, TranscriptsClient } from './jobs';
import { findHeld, type HeldList, type HeldOptions } from './jobs/held';
import { type Job, jobOf } from './jobs/job';
import { keyIn } from '../contract/ids';
import { find } from '../runs/find';
import { OutlooksClient } from './outlooks';
import { ProjectsClient, type ProjectsOptions } from './projects';
import { type ReportOptions, type RunReport } from './report/read';
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

  /** What became of a job, a campaign or a batch: its timeline, pictures, changes and notifications. */
  async report(workflowId: string, options?: ReportOptions): Promise<RunReport> {
    const kind = workflowId.slice(0, workflowId.indexOf('/'));
    const clients: Partial<Record<string, CampaignsClient | BatchesClient>> = {
      campaign: this.campaign,
      batch: this.batch,
    };
    const run = await (clients[kind]?.get(keyIn(workflowId)) ?? this.job(workflowId));
    // Loaded only where a report is made.
    const { readReport } = await import('./report/read.js');
    return readReport(this.temporal, run, options);
  }
}
