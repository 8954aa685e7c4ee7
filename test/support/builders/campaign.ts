/** A campaign for tests: its own project, images of the sandbox, and its outcome at the service. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type SegueClient } from '../../../src/client';
import {
  CAMPAIGN_WORKFLOW,
  type CampaignDecision,
  type CampaignInput,
  type CampaignJobStatus,
  type CampaignResult,
  type CampaignStatus,
  campaignStatusQuery,
  decideUpdate,
} from '../../../src/contract';
import { type StarterConfig } from '../../../src/config';
import { campaignWorkflowId } from '../../../src/contract/ids';
import { type CommandLine, useCommandLine } from '../servers/commandLine';
import { OWN_START } from './jobs';
import { eventually } from '../eventually';
import { SANDBOX_PLACES } from '../service/records';
import { ask, type LedgerReading, readLedger } from '../service/sandbox';
import { segueClient, type TestTemporal, type TestWorkerOptions } from '../servers/temporal';

export interface TestCampaigns extends CommandLine {
  client: () => SegueClient;
  start: (spec: CampaignInput) => Promise<TestCampaign>;
  /** Starts a campaign with a single job, and waits until it asks for approval. */
  startApproving: () => Promise<{ spec: CampaignInput; campaign: TestCampaign }>;
  /** The ledger's counts in this test. */
  summary: () => Promise<LedgerReading['summary']>;
}

/**
 * Called at the top of a test file or a `describe`: one worker for all its campaigns, and a service that is reset for
 * each test. No ETags by default, the harder case; tests of writes run with both.
 */
export function useCampaigns({
  etags = false,
  worker,
}: { etags?: boolean } & Pick<TestWorkerOptions, 'worker'> = {}): TestCampaigns {
  const line = useCommandLine({ layout: SANDBOX_PLACES, pace: { kind: 'instant' }, etags, worker });
  const { temporal, config, sandbox } = line;
  beforeEach(async () => {
    await ask(sandbox.url, 'POST /_sandbox/reset');
  });
  const start = (spec: CampaignInput): Promise<TestCampaign> => startCampaign(temporal, config, spec);
  return {
    ...line,
    client: () => segueClient(temporal, config),
    start,
    startApproving: async () => {
      const spec = await newCampaign(sandbox.url, {
        scope: { organization: '1' },
        media: { cutout: cutout(sandbox.url) },
        approval: { from: 'u-2' },
      });
      const campaign = await start(spec);
      await campaign.untilStage('approving');
      return { spec, campaign };
    },
    summary: async () => (await readLedger(sandbox.url)).summary,
  };
}

/** The data of a campaign in its project, as far as tests need it. */
export interface KeptCampaign {
  lifecycle: { stage: string; history: { stage: string }[]; open: { taskId: string | null }[] };
  configuration: { key: string; media?: Record<string, unknown> };
  research?: { drafts: { count: number } };
  media?: Record<string, { key?: string; status?: string; taskId?: string; error?: string; info?: unknown }>;
  transcripts?: Record<string, { text?: string }>;
  waits?: Record<string, { status: string }>;
  approvals?: { by: string; decision: string; comment?: string; at: string }[];
}

/** A minimal spec, with its own project. */
export async function newCampaign(
  sandboxUrl: string,
  more: Partial<CampaignInput> = {},
): Promise<CampaignInput> {
  const project = { resourcetype: 'campaign', id: randomUUID() };
  const workspace = Number(more.scope?.organization ?? 1);
  await ask(sandboxUrl, 'POST /_sandbox/seed', {
    body: { projects: [{ ...project, workspace, data: { theirs: true } }] },
  });
  return { key: `c-${randomUUID()}`, project, ...more };
}

export function cutout(
  sandboxUrl: string,
  sample = 'mug',
): { tool: string; request: Record<string, unknown> } {
  return { tool: 'remove-background', request: { image_url: `${sandboxUrl}/samples/${sample}.png` } };
}

export async function startCampaign(
  { client }: TestTemporal,
  { taskQueue, poll, submit }: StarterConfig,
  input: CampaignInput,
): Promise<TestCampaign> {
  const handle = await client.workflow.start(CAMPAIGN_WORKFLOW, {
    ...{ memo: OWN_START, workflowId: campaignWorkflowId(input.key), taskQueue },
    args: [{ poll, submit, ...input }],
  });
  return new TestCampaign(handle);
}

/** An open campaign on a task queue without a worker. */
export function startIdleCampaign({ client }: TestTemporal, key: string): Promise<WorkflowHandle> {
  return client.workflow.start(CAMPAIGN_WORKFLOW, {
    workflowId: campaignWorkflowId(key),
    taskQueue: `idle-${key}`,
    args: [{ key }],
  });
}

export class TestCampaign {
  constructor(readonly handle: WorkflowHandle) {}

  status(): Promise<CampaignStatus> {
    return this.handle.query(campaignStatusQuery);
  }

  result(): Promise<CampaignResult> {
    return this.handle.result() as Promise<CampaignResult>;
  }

  decide(decision: CampaignDecision) {
    return this.handle.executeUpdate(decideUpdate, { args: [decision] });
  }

  async untilStage(stage: string): Promise<CampaignStatus> {
    return eventually(`the stage ${stage}`, async () => {
      const status = await this.status();
      return status.stage === stage ? status : undefined;
    });
  }

  async untilRound(round: number): Promise<void> {
    await eventually(`question ${round}`, async () => (await this.status()).approval?.round === round);
  }

  async untilJob(name: string, wanted: CampaignJobStatus): Promise<void> {
    await eventually(`${name} to be ${wanted}`, async () => {
      const { jobs } = await this.status();
      return jobs.some((job) => job.name === name && job.status === wanted);
    });
  }

  /** When each reminder was scheduled, by the server's clock. */
  async reminders(): Promise<Date[]> {
    const { events } = await this.handle.fetchHistory();
    return (events ?? []).flatMap(({ eventTime, activityTaskScheduledEventAttributes: activity }) => {
      const [payload] = activity?.input?.payloads ?? [];
      const isReminder = payload?.data && Buffer.from(payload.data).toString().includes('-reminder-');
      return isReminder ? [new Date(Number(eventTime?.seconds) * 1_000)] : [];
    });
  }

  /** The names of its scheduled activities, oldest first. */
  async activities(): Promise<string[]> {
    const { events } = await this.handle.fetchHistory();
    return (events ?? []).flatMap(
      ({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name ?? [],
    );
  }

  /** Waits until this number of `notify` activities has completed. */
  async untilNotified(times: number): Promise<void> {
    await eventually(`try ${times} to tell somebody`, async () => {
      const { events } = await this.handle.fetchHistory();
      const tries = events?.flatMap(({ activityTaskScheduledEventAttributes: asked, eventId }) =>
        asked?.activityType?.name === 'notify' ? [String(eventId)] : [],
      );
      const over = events?.filter(({ activityTaskCompletedEventAttributes: one }) =>
        tries?.includes(String(one?.scheduledEventId)),
      );
      return over?.length === times;
    });
  }

  /** Waits until it has read the ends of its jobs this many times. */
  async untilLooks(times: number): Promise<void> {
    await eventually(`look ${times}`, async () => {
      const { events } = await this.handle.fetchHistory();
      const read = new Set(
        events?.map(({ activityTaskCompletedEventAttributes: over }) => String(over?.scheduledEventId)),
      );
      const looks = events?.flatMap(({ activityTaskScheduledEventAttributes: asked, eventId }) => {
        const isRead = asked?.activityType?.name?.startsWith('readEnd') && read.has(String(eventId));
        if (!isRead) return [];
        // One run, or a list of them.
        return JSON.parse(Buffer.from(asked?.input?.payloads?.[0]?.data ?? []).toString()) as unknown;
      });
      return looks?.length === times;
    });
  }
}

/** Waits until a cancelled job only waits for its project's writer. */
export async function untilItWaitsForItsProject(job: WorkflowHandle): Promise<void> {
  await eventually('the job to wait for the project', async () => {
    const { events } = await job.fetchHistory();
    const hasAsked = events?.some(
      ({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name === 'requestChanges',
    );
    // Not in the middle of a workflow task: the time-skipping server would wait for its end without limit.
    return hasAsked && Boolean(events?.at(-1)?.timerStartedEventAttributes);
  });
}

/** The campaign's data in its project. */
export async function keptOf(sandboxUrl: string, { project }: CampaignInput): Promise<KeptCampaign> {
  const { json } = await ask(sandboxUrl, `GET /projects/${project.resourcetype}/${project.id}`);
  const { campaign, ...others } = json.data as { campaign: KeptCampaign; theirs: unknown };
  expect(others).toEqual({ theirs: true });
  return campaign;
}

export interface KeptNotification {
  request: { category: string; title: string; message: string; body?: string; userId: string };
  remarks: string[];
}

/** Notifications that were sent, oldest first. */
export async function notificationsOf(sandboxUrl: string): Promise<KeptNotification[]> {
  const { json } = await ask(sandboxUrl, 'GET /_sandbox/notifications');
  return json.notifications as KeptNotification[];
}
