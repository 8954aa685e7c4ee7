/** The state of a campaign: what outlives the run (`progress`), what it does at the moment, and what follows from both. */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
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
  FAILURE,
} from '../../contract';
import { msOf } from '../../contract/durations';
import { truncate } from '../../api/json';
import { MOST_AT_ONCE, referencesIn } from '../../validation/campaign';
import { type Sender, wasReset } from '../lib/atMostOnce';
import { CHECK_EVERY_MS } from '../lib/otherRuns';
import { ProjectWrites } from '../steps/write';

export class Campaign implements Sender {
  readonly requestName = workflowInfo().workflowId;
  readonly progress: CampaignProgress;
  readonly writes = new ProjectWrites();
  /** JSON pointer to the campaign's state in the project's data. */
  readonly at: string;
  readonly concurrency: number;
  /** In milliseconds. */
  readonly approvalTimes: { remind: number; expires: number };
  /** Names of jobs whose end is read next. */
  readonly due: Set<string>;
  /** Names of jobs that this run started: the server reports their end. Others signal, or are checked. */
  readonly children = new Set<string>();
  /** Nothing is written before the campaign has claimed its path in the project. */
  ownsPath = false;
  /** Parts of the project that are out of date, oldest first. */
  readonly unsaved = new Set<string>();
  isSaving = false;
  /** The campaign was cancelled: what is not saved is left to the project's writer. */
  isLeaving = false;
  /** Parts that the project did not take, and why. */
  readonly refused = new Map<string, string>();
  noticesInFlight = 0;
  /** The approver's decision, until the campaign acts on it. */
  verdict: CampaignVerdict | null = null;
  cancelling = false;

  constructor(readonly input: CampaignInput) {
    const { carried, approval } = input;
    const now = new Date().toISOString();
    this.progress = {
      stage: 'preparing',
      since: now,
      history: [{ stage: 'preparing', at: now }],
      clock: null,
      remarks: [],
      research: null,
      jobs: jobsOf(input, now),
      ending: [],
      nextCheckAt: new Date(Date.now() + CHECK_EVERY_MS).toISOString(),
      added: {},
      decisions: [],
      approval: null,
      rounds: 0,
      paused: null,
      listeners: [],
      ...carried,
      reset: wasReset(carried),
    };
    this.at = input.at ?? DEFAULT_CAMPAIGN_AT;
    this.concurrency = input.concurrency ?? DEFAULT_CAMPAIGN_CONCURRENCY;
    this.approvalTimes = {
      remind: msOf(approval?.remind ?? DEFAULT_APPROVAL.remind),
      expires: msOf(approval?.expires ?? DEFAULT_APPROVAL.expires),
    };
    this.due = new Set(this.progress.ending);
  }

  get isEnded(): boolean {
    return !['preparing', 'researching', 'producing', 'approving'].includes(this.progress.stage);
  }

  job(name: string): CampaignJob | undefined {
    return this.progress.jobs.find((job) => job.name === name);
  }

  /** Of a job of the spec, or of one that was added later. */
  mediaSpec(name: string): CampaignMedia {
    // `constructor` is a valid name.
    const specs = [this.input.media ?? {}, this.progress.added].find((some) => Object.hasOwn(some, name));
    const spec = specs?.[name];
    if (!spec) throw ApplicationFailure.nonRetryable(`there is no media job ${name}`, FAILURE.badInput);
    return spec;
  }

  remark(text: string): void {
    addRemark(this.progress.remarks, text);
  }

  /** Jobs that can start now: their dependencies succeeded, and the concurrency allows it. */
  readyJobs(): CampaignJob[] {
    const { jobs, paused } = this.progress;
    if (paused) return [];
    const ready = jobs.filter(
      (job) =>
        job.status === 'waiting' && this.dependenciesOf(job).every(({ status }) => status === 'succeeded'),
    );
    // Held and overdue jobs take no slot.
    const free = (most: number, isOfKind: (job: CampaignJob) => boolean): number =>
      Math.max(0, most - jobs.filter((job) => job.status === 'running' && isOfKind(job)).length);
    const isWait = ({ kind }: CampaignJob): boolean => kind === 'wait';
    const isWork = (job: CampaignJob): boolean => !isWait(job);
    return [
      ...ready.filter(isWork).slice(0, free(this.concurrency, isWork)),
      ...ready.filter(isWait).slice(0, free(MOST_AT_ONCE, isWait)),
    ];
  }

  /** The dependency without which a waiting job can never start. */
  blockedBy(job: CampaignJob): CampaignJob | undefined {
    if (job.status !== 'waiting') return undefined;
    return this.dependenciesOf(job).find((one) => isOver(one) && one.status !== 'succeeded');
  }

  /** Names of the jobs whose results its request uses. */
  needsOf({ name, kind }: CampaignJob): string[] {
    if (kind !== 'media') return [];
    return [...new Set(referencesIn(this.mediaSpec(name).request).map(({ from }) => from))];
  }

  private dependenciesOf(job: CampaignJob): CampaignJob[] {
    return this.needsOf(job).flatMap((name) => this.job(name) ?? []);
  }

  /** Whether the history is long and nothing is in flight that only this run knows. Every wait must end on this, too. */
  mayContinue(): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested && this.noticesInFlight === 0 && this.verdict === null;
  }

  /** Jobs keep running, and signal the new run. */
  async continueWhenLong(): Promise<void> {
    if (!this.mayContinue()) return;
    await condition(allHandlersFinished);
    // This run must act on a decision that came during the wait: the next run would not know it.
    if (!this.mayContinue()) return;
    await continueAsNew<(input: CampaignInput) => Promise<unknown>>({
      ...this.input,
      carried: this.progress,
    });
  }
}

const MOST_REMARKS = 100;
/** In characters. */
const LONGEST_REMARK = 300;

/** A remark for people who read the status of the campaign. */
export function addRemark(remarks: string[], text: string): void {
  const remark = truncate(text, LONGEST_REMARK);
  if (remarks.includes(remark)) return;
  remarks.push(remark);
  if (remarks.length > MOST_REMARKS) remarks.shift();
}

function jobsOf({ media = {}, transcripts = {}, waits = {} }: CampaignInput, now: string): CampaignJob[] {
  const jobs = (kind: CampaignJobKind, specs: Record<string, { optional?: boolean }>): CampaignJob[] =>
    Object.entries(specs).map(([name, { optional = false }]) => newJob(name, kind, optional, now));
  return [...jobs('media', media), ...jobs('transcript', transcripts), ...jobs('wait', waits)];
}

export function newJob(name: string, kind: CampaignJobKind, optional: boolean, now: string): CampaignJob {
  return {
    ...{ name, kind, status: 'waiting', since: now, optional, repeats: 0 },
    ...{ workflowId: null, taskId: null, error: null, links: [] },
  };
}

export function isOver({ status }: CampaignJob): boolean {
  return !['waiting', 'running', 'held', 'overdue'].includes(status);
}

/** A workflow is running for it. */
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

const MOST_JOBS_NAMED = 10;

/** What it waits for, and since when; null at its end. */
export function waitsFor(run: Campaign): { what: string; since: string } | null {
  const { progress, input } = run;
  const { stage, since, paused, approval, jobs } = progress;
  if (paused) return { what: `somebody to resume it; ${paused.by} paused it`, since: paused.since };
  switch (stage) {
    case 'preparing':
      return { what: 'the service to confirm that everything exists', since };
    case 'researching':
      return { what: 'drafts, activity and boards to be read', since };
    case 'producing': {
      const held = jobs.filter(({ status }) => status === 'held');
      const open = held.length > 0 ? held : jobs.filter(isOpen);
      const first = open.map((job) => job.since).sort()[0] ?? since;
      return {
        what: held.length > 0 ? `a person to decide about ${names(held)}` : names(open),
        since: first,
      };
    }
    case 'approving':
      return { what: `${input.approval?.from ?? ''} to approve`, since: approval?.askedAt ?? since };
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'rejected':
    case 'expired':
      return null;
  }
}

function names(jobs: CampaignJob[]): string {
  const named = jobs.slice(0, MOST_JOBS_NAMED).map(({ name }) => name);
  const rest = jobs.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(', ') || 'its jobs to begin';
}
