/** Waiting for records of the service, for those who import Segue. */
import { ApplicationFailure, type Client, WorkflowFailedError } from '@temporalio/client';
import { type StarterConfig } from '../../config';
import {
  FAILURE,
  type PollSettings,
  RECORD_WORKFLOW,
  type RecordInput,
  type RecordKind,
  type RecordState,
  type RecordStatus,
  type Scope,
} from '../../contract';
import { digest } from '../../platform/digest';
import { assertValid } from '../../errors';
import { recordKey, recordWorkflowId } from '../../contract/ids';
import { RecordJob, type WaitOptions } from './job';
import { find, startOrFind } from '../../runs/start';
import { type JobReport } from '../report';
import { attributesOfJob } from '../../contract/searchAttributes';
import { validatePoll, withoutGaps } from '../../runs/media';
import { validateRecordInput } from '../../validation/inputs';

export interface RecordSpec {
  kind: RecordKind;
  id: string;
  /** Statuses that end the wait as failed, beside those that the service has for that. */
  failOn?: RecordStatus[];
  scope?: Scope;
  poll?: Partial<PollSettings>;
}

export class RecordsClient {
  constructor(
    private readonly temporal: Client,
    private readonly config: StarterConfig,
  ) {}

  /**
   * Starts the wait, or gives back the one that the record already has. Waiting costs nothing, so a closed one that
   * never learned the end, or was asked for otherwise, is begun anew.
   */
  async start(spec: RecordSpec): Promise<RecordJob> {
    const { kind, id, failOn } = spec;
    const scope = withoutGaps(spec.scope);
    const input: RecordInput = { kind, id, failOn, scope, poll: { ...this.config.poll, ...spec.poll } };
    const problems = validateRecord(spec);
    assertValid(problems, 'The wait was not started');
    const key = recordKey(kind, id);
    const workflowId = recordWorkflowId(key);
    const facts = await startOrFind(this.temporal, {
      workflow: RECORD_WORKFLOW,
      taskQueue: this.config.taskQueue,
      ...{ workflowId, key, input, askOf },
      attributes: attributesOfJob({ tool: kind, scope }, 'polling'),
      summary: `wait for ${kind} ${id}`,
      adviceOnReuse: 'wait as it does, or cancel that run first',
      mayReplace: async (closed, sameAsk) =>
        !sameAsk || !(await this.#learnedTheEnd(workflowId, closed.runId)),
    });
    return new RecordJob(this.temporal, facts);
  }

  /** Starts the wait and waits with it. */
  async wait(spec: RecordSpec, options: WaitOptions<RecordState> = {}): Promise<JobReport> {
    const job = await this.start(spec);
    return job.wait(options);
  }

  async get(kind: RecordKind, id: string): Promise<RecordJob> {
    const key = recordKey(kind, id);
    return new RecordJob(this.temporal, await find(this.temporal, recordWorkflowId(key)));
  }

  async #learnedTheEnd(workflowId: string, runId: string): Promise<boolean> {
    try {
      await this.temporal.workflow.getHandle(workflowId, runId).result();
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      return error.cause instanceof ApplicationFailure && error.cause.type === FAILURE.recordFailed;
    }
  }
}

function askOf({ kind, id, failOn = [], scope }: RecordInput): string {
  const named = [...new Set(failOn.map(String))].sort();
  return digest({ kind, id, failOn: named, scope: withoutGaps(scope) });
}

/** All problems at once, before anything is sent. */
export function validateRecord(spec: RecordSpec): string[] {
  const { poll, ...asked } = spec;
  return [...validateRecordInput(asked), ...validatePoll(poll)];
}
