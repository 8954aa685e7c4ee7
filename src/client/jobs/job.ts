import { type Client, type WorkflowFailedError } from '@temporalio/client';
import { type UpdateDefinition } from '@temporalio/common';
import {
  type Decision,
  type DecisionReceipt,
  type DecisionTaken,
  type JobStage,
  type MediaResult,
  type MediaState,
  type PolledState,
  type PollNow,
  pollNowUpdate,
  type RecordResult,
  type RecordState,
  resolveUpdate,
  stateQuery,
  type TranscriptResult,
  type TranscriptState,
} from '../../contract';
import { DecisionRefused, InvalidInput } from '../../errors';
import { holdNumber, mediaWorkflowId, recordWorkflowId, transcriptWorkflowId } from '../../contract/ids';
import { type Leftovers, leftoversOfFailed, leftoversOfStopped } from './leftovers';
import { deliveredWith, entryOf, type Standing, succeededWith } from '../report';
import { Run, sendUpdate } from '../run';
import { failureType, type Listed, type RunFacts } from '../../runs/find';

/** The state of a job. Not all kinds of jobs have the optional fields. */
export type JobState = PolledState<JobStage> & Partial<Pick<MediaState, 'taskId' | 'attempts'>>;

export interface DecisionMade extends Omit<Decision, 'hold'> {
  /** The hold that it decides, so that a later hold is not decided by mistake. Default: the open one. */
  hold?: string;
}

export interface DecisionAnswer extends DecisionReceipt {
  /** The same decision, taken before; then nothing was applied. */
  earlier: DecisionTaken | null;
}

export abstract class Job<State extends JobState = JobState, Result = unknown> extends Run<State, Result> {
  protected override readonly stateQuery = stateQuery;

  /**
   * Decides a held run. The hold is the one that is open now, unless it is named. A decision that was taken before
   * does nothing (`applied: false`); one that cannot be taken is a `DecisionRefused`.
   */
  async resolve(made: DecisionMade): Promise<DecisionAnswer> {
    const state = await this.state();
    if (!state) throw await this.unanswered();
    const earlier = takenBefore(state, made);
    if (earlier) return earlier;
    if (!state.hold)
      throw new DecisionRefused(`${this.workflowId} is not held: it is ${state.stage}. Nothing was decided.`);
    try {
      const receipt = await this.update(resolveUpdate, { ...made, hold: made.hold ?? state.hold.id });
      return { ...receipt, earlier: null };
    } catch (error) {
      // Another client may have decided the same a moment ago.
      const now = error instanceof DecisionRefused ? await this.state() : undefined;
      const same = now && takenBefore(now, made);
      if (same) return same;
      throw error;
    }
  }

  /** Polls the service now, and returns the state after that. */
  pollNow(): Promise<State> {
    const update = pollNowUpdate as unknown as UpdateDefinition<State, [PollNow]>;
    return sendUpdate(this.temporal, this.workflowId, update, {});
  }

  protected override readonly isListedAsHeld = (listed: Listed): boolean => entryOf(listed).stage === 'held';

  protected override running(state: State | undefined): Standing {
    const { stage = null, taskId = null, lastError = null, hold } = state ?? {};
    // A run that continued as new has forgotten its last error.
    if (stage === 'held')
      return { status: 'held', stage, taskId, info: null, error: hold?.reason ?? lastError };
    return { status: 'running', stage, taskId, info: null, error: lastError };
  }

  protected override async failed(failure: WorkflowFailedError): Promise<Standing> {
    const outcome = await super.failed(failure);
    // The failure of a cancelled or terminated run has no task id, but its task continues at the service.
    return { ...outcome, taskId: outcome.taskId ?? entryOf(await this.describe()).taskId };
  }
}

export class MediaJob extends Job<MediaState, MediaResult> {
  async leftovers(): Promise<Leftovers> {
    const run = await this.describe();
    if (run.status.name === 'COMPLETED') return { is: 'nothing' };
    if (run.status.name !== 'FAILED') return leftoversOfStopped(run);
    const end = await this.end();
    return leftoversOfFailed('failure' in end ? failureType(end.failure) : null, run);
  }

  protected succeeded(result: MediaResult): Standing {
    return deliveredWith(result, result.info, result.taskId);
  }
}

export class TranscriptJob extends Job<TranscriptState, TranscriptResult> {
  protected succeeded(result: TranscriptResult): Standing {
    const { transcriptionId, format, text, empty = false, written, notified } = result;
    return deliveredWith(result, { transcriptionId, format, text, empty, written, notified });
  }
}

export class RecordJob extends Job<RecordState, RecordResult> {
  protected succeeded({ record }: RecordResult): Standing {
    return succeededWith(record);
  }
}

/** The same decision of the same hold: the named one, else the open one, else the last one. */
function takenBefore(
  { decisions, hold, stage, taskId }: JobState,
  made: DecisionMade,
): DecisionAnswer | undefined {
  const asked = made.hold ?? hold?.id ?? decisions.at(-1)?.hold ?? '';
  const earlier = decisions.find(
    (taken) =>
      holdNumber(taken.hold) === holdNumber(asked) &&
      taken.action === made.action &&
      (taken.action !== 'adopt' || taken.taskId === made.taskId),
  );
  return earlier && { applied: false, stage, taskId: taskId ?? null, earlier };
}

export function jobOf(temporal: Client, facts: RunFacts): Job {
  const { workflowId } = facts;
  if (workflowId === transcriptWorkflowId(facts.key)) return new TranscriptJob(temporal, facts);
  if (workflowId === recordWorkflowId(facts.key)) return new RecordJob(temporal, facts);
  if (workflowId === mediaWorkflowId(facts.key)) return new MediaJob(temporal, facts);
  throw new InvalidInput(
    [`${workflowId}: is not one of media/KEY, transcript/KEY and record/KEY`],
    'That run is no job',
  );
}
