import { ApplicationFailure, type WorkflowFailedError } from '@temporalio/client';
import { truncate } from '../../api/json';
import {
  type AddMediaOrder,
  addMediaUpdate,
  CAMPAIGN_WORKFLOW,
  type CampaignDecision,
  type CampaignDecisionReceipt,
  type CampaignDecisionTaken,
  type CampaignJob,
  type CampaignResult,
  type CampaignSpec,
  type CampaignStatus,
  campaignStatusQuery,
  decideUpdate,
  FAILURE,
  type ListedCampaignStage,
  type MediaState,
  type PauseOrder,
  pauseUpdate,
  resumeUpdate,
  stateQuery,
} from '../../contract';
import { campaignWorkflowId } from '../../contract/ids';
import { assertValid, DecisionRefused } from '../../errors';
import { inParallel } from '../../platform/parallel';
import {
  campaignStart,
  endOfCampaign,
  validateCampaignSpec,
  validateMediaRequest,
} from '../../runs/campaign';
import { countRuns, find, findRuns } from '../../runs/find';
import { queryRun } from '../../runs/query';
import { startOrFind } from '../../runs/start';
import { validateAddedMedia, validateDecision } from '../../validation/campaign';
import { validateOrder } from '../../validation/inputs';
import { entryOf, type JobEntry, type JobFilter, queryOf, type Standing } from '../report';
import { Run, RunsClient } from '../run';

export interface CampaignFilter extends Pick<JobFilter, 'project'> {
  stage?: ListedCampaignStage;
}

export type CampaignEntry = JobEntry<ListedCampaignStage>;

const ONLY_CAMPAIGNS = [CAMPAIGN_WORKFLOW];
const QUERIES_AT_ONCE = 10;
/** In characters: many jobs may be held. */
const LONGEST_REASON = 2_000;

export class CampaignsClient extends RunsClient<CampaignSpec, Campaign> {
  /** Starts it, or gives back the run that its key already has, running or closed. A bad spec starts nothing. */
  async start(spec: CampaignSpec): Promise<Campaign> {
    assertValid(validateCampaignSpec(spec), 'The campaign was not started');
    return new Campaign(this.temporal, await startOrFind(this.temporal, campaignStart(spec, this.config)));
  }

  async get(key: string): Promise<Campaign> {
    return new Campaign(this.temporal, await find(this.temporal, campaignWorkflowId(key)));
  }

  /** Campaigns as Temporal lists them, newest first. A list lags behind by a moment. */
  async *list(filter: CampaignFilter = {}): AsyncGenerator<CampaignEntry> {
    for await (const run of findRuns(this.temporal, queryOf(filter), ONLY_CAMPAIGNS)) yield entryOf(run);
  }

  count(filter: CampaignFilter = {}): Promise<number> {
    return countRuns(this.temporal, queryOf(filter), ONLY_CAMPAIGNS);
  }
}

export interface CampaignDecisionAnswer extends CampaignDecisionReceipt {
  applied: boolean;
  /** The same decision, taken before; then nothing was applied. */
  earlier: CampaignDecisionTaken | null;
}

export class Campaign extends Run<CampaignStatus, CampaignResult> {
  protected override readonly stateQuery = campaignStatusQuery;

  /** A held job tells the reason itself. One that is decided is not held, even before its signal reaches the campaign. */
  override async state(): Promise<CampaignStatus | undefined> {
    const status = await super.state();
    if (!status?.held) return status;
    let held = true;
    const jobs = await inParallel(QUERIES_AT_ONCE, status.jobs, async (job) => {
      if (job.status !== 'held' || job.workflowId === null) return job;
      const run = this.temporal.workflow.getHandle(job.workflowId);
      const state = await queryRun<MediaState>(this.temporal, run, stateQuery);
      if (state?.hold === null) held = false;
      return { ...job, error: state?.hold?.reason ?? job.error };
    });
    return { ...status, jobs, held };
  }

  /**
   * Approves, rejects or has jobs made again, in the open round unless it names one. A decision that was taken before
   * does nothing (`applied: false`), nor does a `change` with the text of the last one and no round: it was probably
   * sent twice. One that cannot be taken is a `DecisionRefused`.
   */
  async decide(decision: CampaignDecision): Promise<CampaignDecisionAnswer> {
    assertValid(validateDecision(decision), 'Nothing was decided');
    const { stage, approval, decisions } = await this.status();
    const round = decision.round ?? approval?.round;
    const earlier = takenBefore(decisions, decision, round) ?? sentTwice(decisions, decision);
    if (earlier) return { applied: false, stage, round: earlier.round, stale: [], earlier };
    if (!approval)
      throw new DecisionRefused(
        `${this.workflowId} asks for no decision: it is ${stage}. Nothing was decided.`,
      );
    const receipt = await this.update(decideUpdate, { ...decision, round });
    return { ...receipt, applied: true, earlier: null };
  }

  /** Starts no more jobs until it is resumed; open ones continue. */
  async pause(order: PauseOrder): Promise<CampaignStatus> {
    assertValid(validateOrder(order), 'Nothing was paused');
    await this.update(pauseUpdate, order);
    return this.status();
  }

  async resume(order: PauseOrder): Promise<CampaignStatus> {
    assertValid(validateOrder(order), 'Nothing was resumed');
    await this.update(resumeUpdate, order);
    return this.status();
  }

  /** Adds a media job. Its request is checked before anything is sent. */
  async addMedia(order: AddMediaOrder): Promise<CampaignStatus> {
    const { jobs } = await this.status();
    const names = jobs.map(({ name }) => name);
    const wrong = validateMediaRequest(order.tool, order.request);
    assertValid([...validateAddedMedia(order, { names }), ...wrong], 'Nothing was added');
    await this.update(addMediaUpdate, order);
    return this.status();
  }

  protected override running(state: CampaignStatus | undefined): Standing {
    const standing = super.running(state);
    return standing.status === 'held' ? { ...standing, error: whyHeld(state?.jobs ?? []) } : standing;
  }

  protected succeeded(result: CampaignResult): Standing {
    return { ...endOfCampaign(result), stage: result.status, taskId: null, info: result };
  }

  /** The failure of a campaign has its jobs and problems. */
  protected override async failed(failure: WorkflowFailedError): Promise<Standing> {
    const { cause } = failure;
    const isCampaigns = cause instanceof ApplicationFailure && cause.type === FAILURE.campaignFailed;
    return { ...(await super.failed(failure)), info: isCampaigns ? (cause.details?.[0] ?? null) : null };
  }
}

function whyHeld(jobs: CampaignJob[]): string {
  const held = jobs.filter(({ status }) => status === 'held');
  const reasons = held.map(({ name, error }) => `${name} is held: ${error ?? 'no worker says why'}`);
  return truncate(reasons.join('; '), LONGEST_REASON);
}

/** The same decision in the same round: the open one, else the last one. */
function takenBefore(
  decisions: readonly CampaignDecisionTaken[],
  decision: CampaignDecision,
  round = decisions.at(-1)?.round,
): CampaignDecisionTaken | undefined {
  return decisions.find((taken) => taken.round === round && asksTheSame(taken, decision));
}

function asksTheSame(taken: CampaignDecisionTaken, { decision, jobs = [] }: CampaignDecision): boolean {
  return taken.decision === decision && [...(taken.jobs ?? [])].sort().join() === [...jobs].sort().join();
}

/**
 * The same `change` as the last one, without a round: more likely sent twice than meant for the next round, where it
 * would be paid for again. A caller who means the next round names it.
 */
function sentTwice(
  decisions: readonly CampaignDecisionTaken[],
  decision: CampaignDecision,
): CampaignDecisionTaken | undefined {
  const last = decisions.at(-1);
  if (decision.round !== undefined || decision.decision !== 'change' || !last) return undefined;
  const isSame = asksTheSame(last, decision) && last.by === decision.by && last.comment === decision.comment;
  return isSame ? last : undefined;
}
