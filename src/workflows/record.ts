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
import { handleDecisions } from './steps/decisions';
import { endingWell, type Success } from './steps/ending';
import { atStart } from './steps/following';
import { describeHold } from './steps/question';
import { followRecord, type FollowingRecord, lastWordsOf, startRecordProgress } from './steps/records';
import { recordDetails } from './steps/recordWords';
import { handleListeners } from './lib/reporting';
import { readRecordSettings } from './steps/settings';
import { showStart } from './steps/visibility';
import { refuseUnsafeStart } from './steps/start';
import { handlePollNow } from './steps/watch';

/** Waits until an asset, a workflow run of the service or a video is over, and keeps its record. */
export async function record(input: RecordInput): Promise<RecordResult> {
  const run = startWait(input);
  setHandler(recordStateQuery, () => describe(run), {
    description: 'What this wait is doing: stage, hold, status of the record, polls.',
  });
  handleDecisions(run);
  handlePollNow(run, recordPollNowUpdate, () => describe(run));
  handleListeners(run);
  showStart(run);
  // A record is neither written nor told of.
  const { written: _written, notified: _notified, ...result } = await endingWell(run, () => waitForEnd(run));
  return result;
}

interface Wait extends FollowingRecord {
  readonly asked: RecordInput;
  stage: RecordStage;
}

async function waitForEnd(run: Wait): Promise<Success<RecordResult>> {
  const { kind, id, failOn } = run.asked;
  const end = await followRecord(run, { kind, id, failOn });
  const result: RecordResult = {
    key: run.input.key,
    status: 'succeeded',
    ...{ kind, id },
    recordStatus: end.status,
    record: end.record ?? null,
    polls: run.progress.polls,
    finishedAt: new Date().toISOString(),
  };
  return { result, value: {} };
}

function startWait(asked: RecordInput): Wait {
  const settings = readRecordSettings(asked);
  const { kind, id, campaign } = asked;
  const key = recordKey(kind, id, campaign);
  refuseUnsafeStart(key, recordWorkflowId(key), asked);
  const progress = startRecordProgress(asked);
  const run: Wait = {
    ...atStart(),
    ...{ asked, settings, progress },
    input: { ...asked, key },
    stage: progress.hold ? 'overdue' : 'polling',
    subject: {
      tool: kind,
      noun: kind,
      name: `the wait for ${kind} ${id}`,
      kind,
      id: () => id,
      inFull: () => `${kind} ${id}`,
      requestName: recordWorkflowId(key),
      facts: () => ({ kind, id }),
      details: () => recordDetails(run, run.stage),
      lastWords: () => lastWordsOf(run),
    },
  };
  return run;
}

function describe(run: Wait): RecordState {
  const { asked, input, progress, stage, nextPollAt, lastError } = run;
  const { decisions, polls, status } = progress;
  return {
    key: input.key,
    kind: asked.kind,
    id: asked.id,
    stage,
    hold: describeHold(run),
    recordStatus: status,
    decisions,
    polls,
    nextPollAt,
    lastError,
  };
}
