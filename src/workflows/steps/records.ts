/** What transcripts and waits share: they follow a record of the service, and its own status alone tells its end. */
import { ApplicationFailure } from '@temporalio/workflow';
import { endOf } from '../../api/endings';
import {
  FAILURE,
  type PolledKind,
  type RecordNews,
  type RecordProgress,
  type RecordStatus,
} from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId } from '../../contract/ids';
import { continueWhenLong, type Following, thingOf, wasReset } from './following';
import { listenersOf } from '../lib/reporting';
import { MISSING_GRACE_MS, watch } from './watch';

export interface FollowingRecord extends Following {
  readonly progress: RecordProgress;
}

export interface RecordAsk {
  kind: PolledKind;
  id: string;
  failOn?: RecordStatus[];
}

export function startRecordProgress({
  carried,
  reportTo,
}: {
  carried?: RecordProgress;
  reportTo?: string;
}): RecordProgress {
  return {
    number: carried?.number ?? 0,
    hold: carried?.hold ?? null,
    decisions: [...(carried?.decisions ?? [])],
    polls: carried?.polls ?? 0,
    pollingSince: carried?.pollingSince ?? null,
    missingSince: carried?.missingSince ?? null,
    listeners: listenersOf({ carried, reportTo }),
    status: carried?.status ?? null,
    end: carried?.end,
    reset: wasReset(carried),
  };
}

/**
 * Asks after the record until its status is an end, and gives it as it was then; throws where that end is a failure. A
 * status that nobody knows is "still running".
 */
export async function followRecord(run: FollowingRecord, asked: RecordAsk): Promise<RecordNews> {
  const { progress, input, subject } = run;
  const { status, record } = await watch<RecordNews>(run, {
    atOnce: true,
    ask: async ({ activities, n, pauseMs }) => {
      const requestId = pollRequestId(subject.requestName, n);
      const told = await activities.readRecord({ ...asked, scope: input.scope, requestId, pauseMs });
      progress.status = told.status;
      return told;
    },
    isOver: ({ status }) => endOf(asked.kind, status, asked.failOn) !== undefined,
    onMissing: () => {
      requireKnown(run);
      return undefined;
    },
    onUnasked: (failure) => {
      requireAskable(run, failure);
    },
    continueWhenLong: () => continueWhenLong(run),
  });
  if (endOf(asked.kind, status, asked.failOn) === 'failed') throw recordFailed(run, asked, status, record);
  return { status, record };
}

/** What the service said last, for whoever reads that it was given up or takes long. */
export function lastWordsOf({ progress, lastError }: FollowingRecord): string {
  const said = progress.status === null ? 'it never told a status' : `its last status was ${progress.status}`;
  return lastError === null ? said : `${said}, and the last question met: ${lastError}`;
}

/**
 * A record that the service never knew is a wrong id: nothing was ordered here, so there is nothing to decide. One
 * that it knew before is asked after as through any other trouble; a person is told when it is overdue.
 */
function requireKnown(run: FollowingRecord): void {
  if (run.progress.status !== null) return;
  throw ApplicationFailure.create({
    type: FAILURE.missing,
    nonRetryable: true,
    message:
      `The service does not know ${thingOf(run)}: it has answered nothing but 404 for ` +
      `${formatDuration(MISSING_GRACE_MS)}. Check the id and the workspace. It said: ${run.lastError ?? ''}`,
    details: [{ key: run.input.key, ...run.subject.facts(), lastError: run.lastError }],
  });
}

/** Types of failures of questions that were not sent, because no answer could come of them. */
const UNASKABLE = ['NotConfiguredError', 'InvalidRequestError'];

/** Once it was answered, a worker that cannot ask is one that was deployed without its settings: others can. */
function requireAskable(run: FollowingRecord, failure: Error): void {
  const type = failure instanceof ApplicationFailure ? (failure.type ?? '') : '';
  if (run.progress.status !== null || !UNASKABLE.includes(type)) return;
  throw ApplicationFailure.create({
    type: type === 'NotConfiguredError' ? FAILURE.notConfigured : FAILURE.badInput,
    nonRetryable: true,
    message: `Nothing can be asked of ${thingOf(run)}: ${failure.message}${type === 'NotConfiguredError' ? ' for the worker, then start it again' : ''}`,
    details: [{ key: run.input.key, ...run.subject.facts() }],
  });
}

function recordFailed(
  run: FollowingRecord,
  { kind }: RecordAsk,
  status: RecordStatus,
  record: unknown,
): ApplicationFailure {
  const saysSo = endOf(kind, status) === 'failed';
  return ApplicationFailure.create({
    type: FAILURE.recordFailed,
    nonRetryable: true,
    message: saysSo
      ? `The service ended ${run.subject.inFull()} as ${status}`
      : `${run.subject.inFull()} has the status ${status}, which was named as a failure`,
    details: [{ key: run.input.key, ...run.subject.facts(), recordStatus: status, errors: record ?? null }],
  });
}
