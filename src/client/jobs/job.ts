/** One job that was started, of whatever kind: look at it, wait for it, decide it. */
import { ApplicationFailure, type Client, type WorkflowFailedError } from '@temporalio/client';
import { type UpdateDefinition } from '@temporalio/common';
import {
  type DecisionTaken,
  type HoldState,
  type MediaResult,
  type MediaStage,
  type MediaState,
  type PollNow,
  pollNowUpdate,
  type RecordResult,
  type RecordState,
  stateQuery,
  type SubmitAttempt,
  type TranscriptResult,
  type TranscriptStage,
  type TranscriptState,
} from '../../contract';
import { decide, type DecisionAnswer, type DecisionMade } from './deciding';
import { InvalidInputError } from '../../errors';
import { mediaWorkflowId, recordWorkflowId, transcriptWorkflowId } from '../../contract/ids';
import { entryOf } from '../listing';
import { type Remains, remainsOfFailed, remainsOfStopped } from './leftovers';
import { failedOutcome, recordOutcome, type Standing, succeededOutcome, transcriptOutcome } from '../report';
import { Run, sendOrder, type WaitOptions as RunWaitOptions } from '../run';
import { type Listed } from '../../runs/ownRun';
import { type RunFacts } from '../../runs/start';

/** What every job tells of itself; what is optional only some have. */
export interface JobState {
  key: string;
  stage: MediaStage | TranscriptStage;
  hold: HoldState | null;
  decisions: DecisionTaken[];
  polls: number;
  lastError: string | null;
  taskId?: string | null;
  attempts?: SubmitAttempt[];
}

export type WaitOptions<State = MediaState> = RunWaitOptions<State>;

export abstract class Job<State extends JobState = JobState, Result = unknown> extends Run<State, Result> {
  protected readonly stateQueryName = stateQuery.name;

  /**
   * Decides a held run. The hold is the one that is open now, unless it is named. A decision that was taken before
   * does nothing (`applied: false`); one that cannot be taken is a `DecisionRefusedError`.
   */
  resolve(decision: DecisionMade): Promise<DecisionAnswer> {
    const { temporal, workflowId } = this;
    return decide({ temporal, workflowId, readState: () => this.state() }, decision);
  }

  /** Has the service asked at once, and gives the state after it. */
  pollNow(): Promise<State> {
    const update = pollNowUpdate as unknown as UpdateDefinition<State, [PollNow]>;
    return sendOrder(this.temporal, this.workflowId, update, {});
  }

  protected override readonly isListedAsHeld = (listed: Listed): boolean => entryOf(listed).stage === 'held';

  protected running(state: State | undefined): Standing {
    return {
      status: state?.stage === 'held' ? 'held' : 'running',
      stage: state?.stage ?? null,
      taskId: state?.taskId ?? null,
      info: null,
      error: state?.lastError ?? null,
    };
  }

  protected async failed(failure: WorkflowFailedError): Promise<Standing> {
    const outcome = failedOutcome(failure);
    // A run that was cancelled or terminated says nothing itself; its task goes on at the service all the same.
    return { ...outcome, taskId: outcome.taskId ?? entryOf(await this.handle.describe()).taskId };
  }
}

export class MediaJob extends Job<MediaState, MediaResult> {
  constructor(temporal: Client, facts: RunFacts) {
    super(temporal, mediaWorkflowId(facts.key), facts);
  }

  /** What a closed run may have left at the service. */
  async remains(): Promise<Remains> {
    const run = await this.handle.describe();
    if (run.status.name === 'COMPLETED') return { is: 'nothing' };
    if (run.status.name !== 'FAILED') return remainsOfStopped(run);
    const end = await this.end();
    const cause = 'failure' in end ? end.failure.cause : undefined;
    return remainsOfFailed(cause instanceof ApplicationFailure ? cause.type : null, run);
  }

  protected succeeded(result: MediaResult): Standing {
    return succeededOutcome(result);
  }
}

export class TranscriptJob extends Job<TranscriptState, TranscriptResult> {
  constructor(temporal: Client, facts: RunFacts) {
    super(temporal, transcriptWorkflowId(facts.key), facts);
  }

  protected succeeded(result: TranscriptResult): Standing {
    return transcriptOutcome(result);
  }
}

export class RecordJob extends Job<RecordState, RecordResult> {
  constructor(temporal: Client, facts: RunFacts) {
    super(temporal, recordWorkflowId(facts.key), facts);
  }

  protected succeeded(result: RecordResult): Standing {
    return recordOutcome(result);
  }
}

/** The job that a workflow id names, of whichever kind it is. */
export function jobOf(temporal: Client, workflowId: string, facts: RunFacts): Job {
  if (workflowId === transcriptWorkflowId(facts.key)) return new TranscriptJob(temporal, facts);
  if (workflowId === recordWorkflowId(facts.key)) return new RecordJob(temporal, facts);
  if (workflowId === mediaWorkflowId(facts.key)) return new MediaJob(temporal, facts);
  throw new InvalidInputError(
    [`${workflowId}: is none of media/KEY, transcript/KEY and record/KEY`],
    'That run is no job',
  );
}
