import {
  type RecordInput,
  type RecordProgress,
  type RecordResult,
  type RecordStage,
  type RecordState,
} from '../contract';
import { recordKey, recordWorkflowId } from '../contract/ids';
import { validateRecordInput } from '../validation/inputs';
import { pollTimes, type PollTimes } from '../validation/times';
import { endOf, resultOf, runJob, type Success } from './steps/finish';
import { refuseUnsafeStart, requireInput } from './lib/refuse';
import { pollRecord, RecordJob, startRecordProgress } from './steps/records';

/** Polls until an asset, a workflow run of the service or a video is over, and gives its record. */
export async function record(input: RecordInput): Promise<RecordResult> {
  const job = new Wait(input);
  return runJob(job, async () => resultOf(job, await endOf(job, () => waitForEnd(job))));
}

async function waitForEnd(job: Wait): Promise<Success<RecordResult>> {
  const { kind, id, failOn } = job.input;
  const end = await pollRecord(job, { kind, id, failOn });
  const result: RecordResult = {
    key: job.input.key,
    status: 'succeeded',
    ...{ kind, id },
    recordStatus: end.status,
    record: end.record ?? null,
    polls: job.progress.polls,
    finishedAt: new Date().toISOString(),
  };
  return { result, value: {} };
}

class Wait extends RecordJob {
  readonly input: RecordInput & { key: string };
  readonly settings: PollTimes;
  readonly progress: RecordProgress;
  stage: RecordStage;
  readonly tool: string;
  readonly noun: string;
  readonly kind: string;
  readonly name: string;

  constructor(asked: RecordInput) {
    super();
    requireInput(validateRecordInput(asked));
    this.settings = pollTimes(asked.poll);
    const { kind, id, campaign } = asked;
    const key = recordKey(kind, id, campaign);
    refuseUnsafeStart(key, recordWorkflowId(key), asked);
    this.input = { ...asked, key };
    this.progress = startRecordProgress(asked);
    this.stage = this.progress.hold ? 'overdue' : 'polling';
    this.tool = this.noun = this.kind = kind;
    this.name = `the wait for ${kind} ${id}`;
  }

  get id(): string {
    return this.input.id;
  }

  override get longLabel(): string {
    return this.label;
  }

  facts(): { kind: string; id: string } {
    const { kind, id } = this;
    return { kind, id };
  }

  override describe(): RecordState {
    const { kind, id } = this.input;
    return { ...super.describe(), kind, id, stage: this.stage, recordStatus: this.progress.status };
  }
}
