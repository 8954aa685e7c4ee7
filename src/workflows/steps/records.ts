/** What transcripts and waits for records share: both poll a record of the service, whose own status shows its end. */
import { ApplicationFailure } from '@temporalio/workflow';
import { endOf } from '../../api/endings';
import {
  FAILURE,
  type PolledKind,
  type RecordInput,
  type RecordNews,
  type RecordOrder,
  type RecordProgress,
  type RecordStatus,
  type TranscriptInput,
} from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId } from '../../contract/ids';
import { wasReset } from '../lib/atMostOnce';
import { listenersOf } from '../lib/listeners';
import { Job } from './job';
import { MISSING_GRACE_MS, pollUntil } from './poll';

export abstract class RecordJob extends Job {
  abstract override readonly progress: RecordProgress;

  override notes(): string[] {
    const { status } = this.progress;
    return status === null ? [] : [`Its status: ${status}`];
  }

  lastStatusText(): string {
    const { status } = this.progress;
    const said = status === null ? 'its status was never read' : `its last status was ${status}`;
    return this.lastError === null ? said : `${said}, and the last poll failed: ${this.lastError}`;
  }
}

export function startRecordProgress(input: RecordInput | TranscriptInput): RecordProgress {
  const { carried, reportTo } = input;
  return {
    ...{ number: 0, hold: null, decisions: [], status: null },
    ...{ polls: 0, pollingSince: null, missingSince: null },
    listeners: listenersOf(reportTo),
    ...carried,
    reset: wasReset(carried),
  };
}

/** Polls until the record's status is an end, and throws when that is a failure. An unknown status is "still running". */
export async function pollRecord(
  job: RecordJob,
  asked: Pick<RecordOrder, 'kind' | 'id' | 'failOn'>,
): Promise<RecordNews> {
  const { progress, input } = job;
  const { status, record } = await pollUntil<RecordNews>(job, {
    immediate: true,
    get: async (activities, n) => {
      const requestId = pollRequestId(job.requestName, n);
      const news = await activities.readRecord({ ...asked, scope: input.scope, requestId });
      progress.status = news.status;
      return news;
    },
    isOver: ({ status }) => endOf(asked.kind, status, asked.failOn) !== undefined,
    onNotFound: () => {
      requireKnown(job);
      return undefined;
    },
    onFailure: (failure) => {
      requireSendable(job, failure);
    },
  });
  if (endOf(asked.kind, status, asked.failOn) === 'failed')
    throw recordFailed(job, asked.kind, status, record);
  return { status, record };
}

/** A record that the service never knew is a wrong id, and the job fails. A known one may come back: polling continues. */
function requireKnown(job: RecordJob): void {
  if (job.progress.status !== null) return;
  const { label, lastError } = job;
  throw job.failure(
    FAILURE.missing,
    `The service does not know ${label}: it has answered nothing but 404 for ` +
      `${formatDuration(MISSING_GRACE_MS)}. Check the id and the workspace. It said: ${lastError ?? ''}`,
    { lastError },
  );
}

/** The request cannot be sent. After a first answer, only this worker lacks the settings: others can send it. */
function requireSendable(job: RecordJob, failure: Error): void {
  const type = failure instanceof ApplicationFailure ? (failure.type ?? '') : '';
  if (job.progress.status !== null || !['NotConfiguredError', 'InvalidRequestError'].includes(type)) return;
  throw job.failure(FAILURE.notConfigured, `Nothing can be asked of ${job.label}: ${failure.message}`);
}

function recordFailed(
  job: RecordJob,
  kind: PolledKind,
  status: RecordStatus,
  record: unknown = null,
): ApplicationFailure {
  const message =
    endOf(kind, status) === 'failed'
      ? `The service ended ${job.longLabel} as ${status}`
      : `${job.longLabel} has the status ${status}, which was named as a failure`;
  return job.failure(FAILURE.recordFailed, message, { recordStatus: status, errors: record });
}
