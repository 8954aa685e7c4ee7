/** One campaign that was started: look at it, wait for it, decide about it, change it. */
import { ApplicationFailure, type Client, type WorkflowFailedError } from '@temporalio/client';
import { validateMediaRequest } from '../../runs/campaignRequests';
import { validateAddedMedia, validateDecision, validatePause } from '../../validation/campaign';
import {
  type AddMediaOrder,
  addMediaUpdate,
  type CampaignDecision,
  type CampaignDecisionReceipt,
  type CampaignDecisionTaken,
  type CampaignResult,
  type CampaignStatus,
  campaignStatusQuery,
  decideUpdate,
  FAILURE,
  type PauseOrder,
  pauseUpdate,
  resumeUpdate,
} from '../../contract';
import { DecisionRefusedError, assertValid } from '../../errors';
import { campaignWorkflowId } from '../../contract/ids';
import { failedOutcome, type Standing } from '../report';
import { Run } from '../run';
import { type RunFacts } from '../../runs/start';

export interface CampaignDecisionAnswer extends CampaignDecisionReceipt {
  /** Whether it changed anything. */
  applied: boolean;
  /** The same decision, taken before; then nothing was applied. */
  earlier: CampaignDecisionTaken | null;
}

export class Campaign extends Run<CampaignStatus, CampaignResult> {
  protected readonly stateQueryName = campaignStatusQuery.name;
  constructor(temporal: Client, facts: RunFacts) {
    super(temporal, campaignWorkflowId(facts.key), facts);
  }

  /** Where it is, what every job does and what it waits for. A `NoAnswerError` where no worker answers. */
  status(): Promise<CampaignStatus> {
    return this.requireState();
  }

  /** Waits for the end and gives the result, also of one that was rejected or expired; any other end is thrown. */
  async result(): Promise<CampaignResult> {
    const end = await this.end();
    if ('failure' in end) throw end.failure;
    return end.result;
  }

  /**
   * Approves, rejects or has jobs made again. It answers the question that is open, unless it names its round. A
   * decision that was taken before does nothing (`applied: false`), nor does the same `change` in the same words without
   * a round, which was sent twice or is to name the next one; one that cannot be taken is a
   * `DecisionRefusedError`.
   */
  async decide(decision: CampaignDecision): Promise<CampaignDecisionAnswer> {
    assertValid(validateDecision(decision), 'Nothing was decided');
    const { stage, approval, decisions } = await this.status();
    const round = decision.round ?? approval?.round;
    const earlier = takenBefore(decisions, decision, round) ?? sentTwice(decisions, decision);
    if (earlier) return { applied: false, stage, round: earlier.round, stale: [], earlier };
    if (!approval)
      throw new DecisionRefusedError(
        `${this.workflowId} asks for no decision: it is ${stage}. Nothing was decided.`,
      );
    const receipt = await this.order(decideUpdate, { ...decision, round });
    return { ...receipt, applied: true, earlier: null };
  }

  /** Begins no further jobs until it is resumed; those that run go on. */
  async pause(order: PauseOrder): Promise<CampaignStatus> {
    assertValid(validatePause(order), 'Nothing was paused');
    await this.order(pauseUpdate, order);
    return this.status();
  }

  async resume(order: PauseOrder): Promise<CampaignStatus> {
    assertValid(validatePause(order), 'Nothing was resumed');
    await this.order(resumeUpdate, order);
    return this.status();
  }

  /** Has one more media job made. Its request is checked before anything is sent. */
  async addMedia(order: AddMediaOrder): Promise<CampaignStatus> {
    const { jobs } = await this.status();
    const names = jobs.map(({ name }) => name);
    const wrong = validateMediaRequest(order.tool, order.request);
    assertValid([...validateAddedMedia(order, { names }), ...wrong], 'Nothing was added');
    await this.order(addMediaUpdate, order);
    return this.status();
  }

  protected running(status: CampaignStatus | undefined): Standing {
    return {
      status: status?.held ? 'held' : 'running',
      stage: status?.stage ?? null,
      taskId: null,
      info: status ?? null,
      error: null,
    };
  }

  /** Rejected and expired campaigns did what they were asked for, and failed all the same. */
  protected succeeded(result: CampaignResult): Standing {
    const { status: stage } = result;
    const status = stage === 'completed' ? 'succeeded' : 'failed';
    return { status, stage, taskId: null, info: result, error: reasonOf(result) };
  }

  protected failed(failure: WorkflowFailedError): Standing {
    const { cause } = failure;
    const isCampaigns = cause instanceof ApplicationFailure && cause.type === FAILURE.campaignFailed;
    return {
      ...failedOutcome(failure),
      taskId: null,
      info: isCampaigns ? (cause.details?.[0] ?? null) : null,
    };
  }
}

function reasonOf({ status, decisions }: CampaignResult): string | null {
  if (status === 'completed') return null;
  if (status === 'expired') return 'nobody decided in time';
  const last = decisions.at(-1);
  return last ? `rejected by ${last.by}${last.comment ? `: ${last.comment}` : ''}` : 'it was rejected';
}

/** The same answer to the same question. Without an open question, the last one counts. */
function takenBefore(
  decisions: readonly CampaignDecisionTaken[],
  { decision, jobs = [] }: CampaignDecision,
  round = decisions.at(-1)?.round,
): CampaignDecisionTaken | undefined {
  const isSame = (taken: CampaignDecisionTaken): boolean =>
    taken.round === round &&
    taken.decision === decision &&
    [...(taken.jobs ?? [])].sort().join() === [...jobs].sort().join();
  return decisions.find(isSame);
}

/**
 * The same words about a question that is over: sent again because the first answer was lost, more likely than meant for
 * the next question, where it would be paid for again. Who means that names the round.
 */
function sentTwice(
  decisions: readonly CampaignDecisionTaken[],
  { decision, by, comment, jobs = [], round }: CampaignDecision,
): CampaignDecisionTaken | undefined {
  const last = decisions.at(-1);
  if (round !== undefined || decision !== 'change' || last?.decision !== 'change') return undefined;
  const isSame =
    last.by === by &&
    last.comment === comment &&
    [...(last.jobs ?? [])].sort().join() === [...jobs].sort().join();
  return isSame ? last : undefined;
}
