import { setHandler } from '@temporalio/workflow';
import {
  type RecordInput,
  recordPollNowUpdate,
  type RecordResult,
  type RecordStage,
  type RecordState,
  recordStateQuery,
} from '../contract';
import { recordKey, recordWorkflowId } from '../contract/ids';
import { validateRecordInput } from '../validation/inputs';
import { pollTimes } from '../validation/times';
import { handleListeners } from './lib/listeners';
import { endOf, resultOf, type Success, withCompletion } from './steps/finish';
import { handleDecisions } from './steps/hold';
import { describeHold, newContext, readSettings, refuseUnsafeStart } from './steps/job';
import { handlePollNow } from './steps/poll';
import { pollRecord, type RecordJob, recordStatusText, startRecordProgress } from './steps/records';
import { recordDetails, showStart } from './steps/visibility';

/** Polls until an asset, a workflow run of the service or a video is over, and gives its record. */
export async function record(input: RecordInput): Promise<RecordResult> {
  const job = start(input);
  return withCompletion(job, async () => resultOf(job, await endOf(job, () => waitForEnd(job))));
}

interface Wait extends RecordJob {
  readonly asked: RecordInput;
  stage: RecordStage;
}

async function waitForEnd(job: Wait): Promise<Success<RecordResult>> {
  const { kind, id, failOn } = job.asked;
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

function start(asked: RecordInput): Wait {
  const settings = readSettings(validateRecordInput(asked), (reader) => pollTimes(asked.poll, reader));
  const { kind, id, campaign } = asked;
  const key = recordKey(kind, id, campaign);
  refuseUnsafeStart(key, recordWorkflowId(key), asked);
  const progress = startRecordProgress(asked);
  const job: Wait = {
    ...newContext(),
    ...{ asked, settings, progress },
    input: { ...asked, key },
    stage: progress.hold ? 'overdue' : 'polling',
    subject: {
      tool: kind,
      noun: kind,
      name: `the wait for ${kind} ${id}`,
      kind,
      id: () => id,
      longLabel: () => `${kind} ${id}`,
      requestName: recordWorkflowId(key),
      facts: () => ({ kind, id }),
      details: () => recordDetails(job, job.stage),
      lastStatusText: () => recordStatusText(job),
    },
  };
  setHandler(recordStateQuery, () => describe(job), {
    description: 'What this wait is doing: stage, hold, status of the record, polls.',
  });
  handleDecisions(job);
  handlePollNow(job, recordPollNowUpdate, () => describe(job));
  handleListeners(job);
  showStart(job);
  return job;
}

function describe(job: Wait): RecordState {
  const { asked, input, progress, stage, nextPollAt, lastError } = job;
  const { decisions, polls, status } = progress;
  return {
    key: input.key,
    kind: asked.kind,
    id: asked.id,
    stage,
    hold: describeHold(job),
    recordStatus: status,
    decisions,
    polls,
    nextPollAt,
    lastError,
  };
}
