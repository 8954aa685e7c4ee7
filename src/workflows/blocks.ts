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
import { type Duration, DURATION_FORM, parseDuration } from '../contract/durations';
import { changeIdOf } from '../contract/ids';
import { wasReset } from './lib/atMostOnce';
import { type Message, notifyUser } from './lib/notify';
import { type mediaRequest } from './mediaRequest';
import { ProjectWrites, writeToProject } from './steps/write';

export * from '.';
/** The changes of one run; it makes one at its start. */
export { ProjectWrites };

/**
 * The result of the one media job of this key, which is started or attached to. A workflow that is started again, retried
 * or reset gets the same job; cancelling it does not cancel the job.
 */
export function runMedia(input: MediaRequestInput & { key: string }): Promise<MediaResult> {
  return executeChild<typeof mediaRequest>(MEDIA_REQUEST_WORKFLOW, { args: [input] });
}

export interface Polling<News> {
  /** One question, by an activity with `maximumAttempts: 1`. One that fails is "no news". */
  ask: () => Promise<News>;
  isOver: (news: News) => boolean;
  /** In the history and the UI, with each timer. */
  summary?: string;
  min?: Duration;
  max?: Duration;
  /** After this long it fails. */
  giveUp?: Duration;
}

/** Asks after a pause of 15 to 20 seconds, again and again, until it is over; gives the last answer. */
export async function pollUntil<News>({
  ask,
  isOver,
  summary = 'next poll',
  min = DEFAULT_POLL.min,
  max = DEFAULT_POLL.max,
  giveUp = DEFAULT_POLL.giveUp,
}: Polling<News>): Promise<News> {
  const [least, most, longest] = [msOf(min), msOf(max), msOf(giveUp)];
  const begun = Date.now();
  for (;;) {
    await sleep(least + Math.random() * (most - least), { summary });
    let lastError = 'it was not over';
    try {
      const news = await ask();
      if (isOver(news)) return news;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      lastError = `the last poll failed: ${error.cause?.message ?? error.message}`;
    }
    if (Date.now() - begun < longest) continue;
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
  const changeId = changeIdOf(workflowInfo().workflowId, uuid4());
  const outcome = await writeToProject(writes, { ...request, changeId });
  if (outcome?.ok === false) throw ApplicationFailure.nonRetryable(outcome.error, FAILURE.badChange);
}

/** Notifies a user at most once of an event, whose name is unique in the run. */
export function notifyOnce(to: NotifyTarget, event: Event): Promise<NotificationStatus> {
  const sender = { requestName: workflowInfo().workflowId, progress: { reset: wasReset(undefined) } };
  return notifyUser(sender, to, { extra: {}, ...event });
}

type Event = Omit<Message, 'extra' | 'denied'> & Partial<Pick<Message, 'extra'>>;

function msOf(duration: Duration): number {
  const ms = parseDuration(duration);
  if (ms !== undefined) return ms;
  throw ApplicationFailure.nonRetryable(`"${duration}" is not ${DURATION_FORM}`, FAILURE.badInput);
}
