/** What a campaign knows, and how it is seen. */
import {
  type CampaignInput,
  type CampaignJob,
  type CampaignJobKind,
  type CampaignMedia,
  type CampaignProgress,
  type CampaignVerdict,
  DEFAULT_APPROVAL,
  DEFAULT_CAMPAIGN_AT,
  DEFAULT_CAMPAIGN_CONCURRENCY,
} from '../../contract';
import { parseDuration } from '../../contract/durations';
import { campaignWorkflowId } from '../../contract/ids';
import { type Sender, wasReset } from '../lib/atMostOnce';
import { type WriterReplies, newWriterReplies } from '../steps/write';
import { type JobOrder } from './children';

/** A campaign's progress, which outlives the run, and what it is doing at the moment. */
export interface Campaign extends Sender {
  readonly input: CampaignInput;
  readonly progress: CampaignProgress;
  readonly mailbox: WriterReplies;
  /** JSON pointer to its place in the project's data. */
  readonly at: string;
  readonly concurrency: number;
  /** In milliseconds. */
  readonly approvalTimes: { remind: number; expires: number };
  /** Names of jobs whose end is to be read, and whether they are known to end: then it is worth waiting for. */
  readonly ended: Map<string, 'ends' | 'may have'>;
  /** Names of jobs whose end this run of the campaign learns by itself; the others tell it, or are looked at. */
  readonly attended: Set<string>;
  /** Of jobs that had to wait until others have begun, by name. */
  readonly orders: Map<string, JobOrder>;
  /** Whose place in the project it is: nothing is written where another campaign keeps its state. */
  place: 'unknown' | 'ours' | 'taken';
  /** Parts of the project that do not show the campaign's state yet, oldest first, by the number of the order. */
  readonly unsaved: Map<string, number>;
  /**
   * The last number given to an order to save, that of the oldest one on its way, what calls that back, and whether all
   * that is left is being handed over.
   */
  saves: { ordered: number; onTheWay: number; callBack: () => void; isLeaving: boolean };
  saving: boolean;
  /** Parts that the project did not take, and why. */
  readonly refused: Map<string, string>;
  /** When all open jobs were looked at last, and when those that said that they end are again, in milliseconds. */
  readonly looks: { lastAt: number; againAt: number };
  /** Notifications on their way. */
  notices: number;
  /** What the approver said, until the campaign acts on it. */
  verdict: CampaignVerdict | null;
  /** It was cancelled, and only sees to it that nothing is lost. */
  cancelling: boolean;
}

export function startCampaign(input: CampaignInput): Campaign {
  const { carried, approval } = input;
  const now = new Date().toISOString();
  const progress: CampaignProgress = {
    stage: 'preparing',
    since: now,
    history: [{ stage: 'preparing', at: now }],
    clock: null,
    remarks: [],
    research: null,
    jobs: jobsOf(input, now),
    added: {},
    decisions: [],
    approval: null,
    rounds: 0,
    paused: null,
    listeners: [],
    ...carried,
    reset: wasReset(carried),
  };
  return {
    input,
    progress,
    subject: { requestName: campaignWorkflowId(input.key) },
    at: input.at ?? DEFAULT_CAMPAIGN_AT,
    concurrency: input.concurrency ?? DEFAULT_CAMPAIGN_CONCURRENCY,
    approvalTimes: {
      remind: parseDuration(approval?.remind ?? DEFAULT_APPROVAL.remind) ?? 0,
      expires: parseDuration(approval?.expires ?? DEFAULT_APPROVAL.expires) ?? 0,
    },
    ended: new Map(),
    attended: new Set(),
    mailbox: newWriterReplies(),
    orders: new Map(),
    place: 'unknown',
    unsaved: new Map(),
    saves: { ordered: 0, onTheWay: Infinity, callBack: () => undefined, isLeaving: false },
    saving: false,
    refused: new Map(),
    looks: { lastAt: Date.parse(carried?.lookedAt ?? now), againAt: 0 },
    notices: 0,
    verdict: null,
    cancelling: false,
  };
}

function jobsOf({ media = {}, transcripts = {}, waits = {} }: CampaignInput, now: string): CampaignJob[] {
  const jobs = (kind: CampaignJobKind, specs: Record<string, { optional?: boolean }>): CampaignJob[] =>
    Object.entries(specs).map(([name, { optional = false }]) => newJob(name, kind, optional, now));
  return [...jobs('media', media), ...jobs('transcript', transcripts), ...jobs('wait', waits)];
}

export function newJob(name: string, kind: CampaignJobKind, optional: boolean, now: string): CampaignJob {
  const unknown = { workflowId: null, taskId: null, error: null };
  return {
    name,
    kind,
    status: 'waiting',
    since: now,
    optional,
    repeats: 0,
    links: [],
    ...unknown,
  };
}

/** More says nothing: each may be told of the same trouble again. */
const MOST_REMARKS = 100;
/** In characters. */
const LONGEST_REMARK = 300;

/** Something that whoever looks at the campaign should know. */
export function remark({ progress }: Pick<Campaign, 'progress'>, all: string): void {
  const words = all.length > LONGEST_REMARK ? `${all.slice(0, LONGEST_REMARK)}…` : all;
  if (progress.remarks.includes(words)) return;
  progress.remarks.push(words);
  if (progress.remarks.length > MOST_REMARKS) progress.remarks.shift();
}

/** What a media job was asked for, in the spec or later. */
export function mediaSpec({ input, progress }: Campaign, name: string): CampaignMedia {
  // Names like `constructor` are good names.
  const specs = [input.media ?? {}, progress.added].find((some) => Object.hasOwn(some, name));
  const spec = specs?.[name];
  if (!spec) throw new TypeError(`there is no media job ${name}`);
  return spec;
}

export function jobNamed({ progress }: Campaign, name: string): CampaignJob | undefined {
  return progress.jobs.find((job) => job.name === name);
}

/** Whether nothing more will come of it. */
export function isOver({ status }: CampaignJob): boolean {
  return !['waiting', 'running', 'held', 'overdue'].includes(status);
}

/** Whether a run does it now. */
export function isOpen({ status }: CampaignJob): boolean {
  return ['running', 'held', 'overdue'].includes(status);
}

export function setStatus(
  job: CampaignJob,
  status: CampaignJob['status'],
  error: string | null = null,
): void {
  if (job.status !== status) job.since = new Date().toISOString();
  job.status = status;
  job.error = error;
}
