/** What `@segue/segue/workflows` exports: Segue's workflows, and building blocks for a team's own. */
import {
  ActivityFailure,
  ApplicationFailure,
  executeChild,
  isCancellation,
  sleep,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import {
  DEFAULT_POLL,
  FAILURE,
  MEDIA_REQUEST_WORKFLOW,
  type MediaRequestInput,
  type MediaResult,
  type NotificationStatus,
  type NotifyTarget,
  type ProjectChange,
  type ProjectRef,
  type Scope,
} from '../contract';
import { type Duration, DURATION_FORM, isZonedTime, parseDuration } from '../contract/durations';
import { bytesOf } from '../api/json';
import { validateChange } from '../contract/changes';
import { shortDigest, stepRequestId } from '../contract/ids';
import { anyObject, id, notifyFields, scope, text } from '../validation/fields';
import {
  isText,
  matching,
  must,
  object,
  openObject,
  required,
  type Rule,
  validate,
  withoutNulls,
} from '../validation/rules';
import { wasReset } from './lib/atMostOnce';
import { type Message, notifyUser } from './lib/notify';
import { type mediaRequest } from './mediaRequest';
import { ProjectWrites, writeToProject } from './steps/write';

export * from '.';
/** Keeps track of the changes that a run asks for. Create one at the start of the run. */
export { ProjectWrites };

/**
 * The result of the one media job of this key, which is started or attached to. A workflow that is started again, retried
 * or reset gets the same job; cancelling it does not cancel the job.
 */
export async function runMedia(input: MediaRequestInput & { key: string }): Promise<MediaResult> {
  requireValid(anyObject, input);
  return executeChild<typeof mediaRequest>(MEDIA_REQUEST_WORKFLOW, { args: [input] });
}

export interface Polling<News> {
  /** One poll, by an activity with `maximumAttempts: 1`. A failed one is ignored. */
  poll: () => Promise<News>;
  isOver: (news: News) => boolean;
  /** The summary of each timer in the UI. */
  summary?: string;
  min?: Duration;
  /** Longest pause in the first hour. Later a pause lasts at least 1/60 of the time since then. */
  max?: Duration;
  /** `pollUntil` fails after this long. */
  giveUp?: Duration;
}

const QUICK_POLLS_MS = 3_600_000;

/** Polls at intervals of 15 to 20 seconds, longer ones after an hour, until `isOver`; returns the last answer. */
export async function pollUntil<News>({
  poll,
  isOver,
  summary = 'next poll',
  min = DEFAULT_POLL.min,
  max = DEFAULT_POLL.max,
  giveUp = DEFAULT_POLL.giveUp,
}: Polling<News>): Promise<News> {
  const [minMs, maxMs, giveUpMs] = [requireMs(min), requireMs(max), requireMs(giveUp)];
  const startedAt = Date.now();
  for (;;) {
    const usualMs = minMs + Math.random() * (maxMs - minMs);
    // Slower after the first hour: at 15 to 20 s, the history would be full within a day.
    const passedMs = Date.now() - startedAt;
    const slowMs = Math.min((passedMs - QUICK_POLLS_MS) / 60, giveUpMs - passedMs);
    await sleep(Math.max(usualMs, slowMs), { summary });
    let lastError = 'it was not over';
    try {
      const news = await poll();
      if (isOver(news)) return news;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      lastError = `the last poll failed: ${error.cause?.message ?? error.message}`;
    }
    if (Date.now() - startedAt < giveUpMs) continue;
    throw ApplicationFailure.nonRetryable(`Gave up after ${giveUp}: ${lastError}`, FAILURE.givenUp);
  }
}

export interface ProjectWriteRequest {
  project: ProjectRef;
  change: ProjectChange;
  scope?: Scope;
}

/** Changes a project's data by the writer of the project, and waits until it is saved, however long that takes. */
export async function writeResult(writes: ProjectWrites, request: ProjectWriteRequest): Promise<void> {
  requireValid(WRITE, request);
  const problems = validateChange(request.change);
  if (problems.length > 0) throw badInput(problems);
  const changeId = stepRequestId(workflowInfo().workflowId, uuid4());
  const { project, change, scope } = request;
  const { resourcetype, id } = project;
  const outcome = await writeToProject(writes, {
    ...{ project: { resourcetype, id }, change, scope: scope ?? undefined, changeId },
  });
  if (outcome?.ok === false) throw ApplicationFailure.nonRetryable(outcome.error, FAILURE.badChange);
}

/**
 * Sends a notification at most once. Each call in a run has another `event`, which its `X-Request-Id` contains. A retry
 * of the workflow is another run, and sends it again.
 */
export async function notifyOnce(to: NotifyTarget, message: OneMessage): Promise<NotificationStatus> {
  requireValid(NOTIFICATION, { to, message });
  const { workflowId } = workflowInfo();
  const sender = {
    requestName: stepRequestId(workflowId, shortDigest(workflowId)),
    progress: { reset: wasReset(undefined) },
  };
  return notifyUser(sender, to, { extra: {}, ...withoutNulls(message) });
}

type OneMessage = Omit<Message, 'extra' | 'denied'> & Partial<Pick<Message, 'extra'>>;

const WRITE = object({
  project: required(openObject({ resourcetype: required(id), id: required(id) })),
  change: required(anyObject),
  scope,
});

const zonedTime = must(
  'a time with its zone, like 2026-01-31T14:00:00Z',
  { type: 'string', format: 'date-time' },
  (value) => isText(value) && isZonedTime(value),
);

const NOTIFICATION = object({
  to: required(openObject(notifyFields)),
  message: required(
    openObject({
      event: required(matching(/^[\x21-\x7e]{1,60}$/, 'a name without blanks, at most 60 long')),
      ...{ category: required(text), title: required(text), message: required(text) },
      ...{ body: text, extra: anyObject, sendBefore: zonedTime },
    }),
  ),
});

/** A plain error would fail the workflow task of the team without end. */
function requireValid(rule: Rule, value: unknown): void {
  const problems = [...recordingProblems(value), ...validate(rule, value)];
  if (problems.length > 0) throw badInput(problems);
}

/** The server ends a run that gives 2 MB to an activity or a child workflow. */
const LARGEST_INPUT_BYTES = 1.5 * 1024 * 1024;

/** Why Temporal cannot record the value: it is too large, or not JSON. */
function recordingProblems(value: unknown): string[] {
  try {
    const bytes = bytesOf(value);
    return bytes > LARGEST_INPUT_BYTES
      ? [`the input: has ${bytes} bytes, more than ${LARGEST_INPUT_BYTES}`]
      : [];
  } catch (error) {
    return [`the input: is not JSON: ${String(error)}`];
  }
}

function badInput(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(problems.join('; '), FAILURE.badInput);
}

function requireMs(duration: Duration): number {
  const ms = parseDuration(duration);
  if (ms !== undefined) return ms;
  throw badInput([`"${duration}" is not ${DURATION_FORM}`]);
}
