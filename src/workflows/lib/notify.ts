/** Notifications to users and operators, each sent at most once. */
import {
  ActivityFailure,
  type ActivityOptions,
  CancellationScope,
  condition,
  log,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import {
  HEARTBEAT_TIMEOUT_MS,
  type NotificationStatus,
  type Notification,
  type NotifyOutcome,
  type NotifyTarget,
  type OperatorOrder,
  RECORDING_MARGIN_MS,
  type SegueActivities,
} from '../../contract';
import { notifyRequestId } from '../../contract/ids';
import { withoutNulls } from '../../validation/rules';
import { AT_MOST_ONCE, mayChange, newBackoff, type Sender, senderOf } from './atMostOnce';

const NOTIFY_TIMEOUT_MS = 30_000;
/** A notification that the service does not take must not keep a job open longer. */
export const LONGEST_TRYING_MS = 3_600_000;
const USUAL_TRYING_MS = 2 * 60_000;

export const NOTIFY_OPTIONS: ActivityOptions = {
  summary: 'notifies people, each at most once',
  startToCloseTimeout: NOTIFY_TIMEOUT_MS + RECORDING_MARGIN_MS,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: AT_MOST_ONCE,
};
const once = proxyActivities<SegueActivities>(NOTIFY_OPTIONS);

/** A notification without its recipient. */
export type Message = Pick<Notification, 'category' | 'title' | 'message' | 'body'> & {
  /** Unique in the run: each event is notified at most once. */
  event: string;
  extra: Record<string, unknown>;
  /** Only for the operator: see {@link OperatorOrder}. */
  denied?: OperatorOrder['denied'];
  /** Not sent from then on. Only for users. ISO 8601. */
  sendBefore?: string;
};

export function notifyUser(
  job: Sender,
  to: NotifyTarget,
  message: Message,
  retries: Retries = {},
): Promise<NotificationStatus> {
  const notification = notificationTo(to, message);
  const requestId = notifyRequestId(job.requestName, message.event);
  const { sendBefore } = message;
  const send = (): Promise<NotifyOutcome> =>
    once.notify({ notification, requestId, runId: senderOf(job), sendBefore });
  const isStale = (): boolean => isTooLate(message) || (retries.isStale?.() ?? false);
  return untilKnown(send, { ...retries, isStale });
}

export function isTooLate({ sendBefore }: Pick<Message, 'sendBefore'>): boolean {
  return sendBefore !== undefined && Date.now() >= Date.parse(sendBefore);
}

export function notificationTo(to: NotifyTarget, message: Message): Notification {
  const { userId, workspaceId, threadId, link, ctaLabel } = to;
  // Other languages write null for what they leave out, and the service refuses null.
  return { userId, workspaceId, ...withoutNulls({ threadId, link, ctaLabel }), ...contentOf(message) };
}

export function bodyOf(...paragraphs: string[]): string {
  return ['Hello,', ...paragraphs.filter((text) => text !== ''), 'Segue'].join('\n\n');
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

export interface Retries {
  /** Whether the notification is outdated; then it is not tried again. */
  isStale?: () => boolean;
  /** Called before each retry after {@link USUAL_TRYING_MS}. */
  onDelay?: () => void;
}

/** Sends while the run continues with its work. Continue-as-new waits for it. */
export function inBackground(run: { noticesInFlight: number }, work: () => Promise<void>): void {
  run.noticesInFlight += 1;
  CancellationScope.nonCancellable(work)
    .catch((error: unknown) => {
      log.error('a notification was not sent', { error: String(error) });
    })
    .finally(() => {
      run.noticesInFlight -= 1;
    });
}

/** Without a configured operator nobody is notified, and the outcome is `sent`. */
export function notifyOperator(
  job: Sender,
  message: Message,
  retries?: Retries,
): Promise<NotificationStatus> {
  const requestId = notifyRequestId(job.requestName, `${message.event}.operator`);
  const send = async (): Promise<NotifyOutcome> => {
    const outcome = await once.notifyOperator({
      notification: contentOf({ ...message, category: 'agentError' }),
      denied: message.denied,
      requestId,
      runId: senderOf(job),
    });
    return outcome.outcome === 'nobody' ? { outcome: 'sent' } : outcome;
  };
  return untilKnown(send, retries);
}

function contentOf({ category, title, message, body, event, extra }: Message) {
  return {
    category,
    title,
    message: withoutTitle(message, title),
    body: body && withoutTitle(body, title),
    _extra: { event_type: `${workflowInfo().workflowType}.${event}`, agent: 'segue', ...extra },
  };
}

/** The service refuses a text that repeats the title. */
function withoutTitle(text: string, title: string): string {
  const words = title.split(' ').map((word) => word.replace(/[^\w]/g, '\\$&'));
  return text.replace(new RegExp(words.join('\\s*'), 'gi'), '…');
}

/** What a job or an item of a batch has become, for its user. */
interface FinishedJob {
  tool: string;
  /** As its user calls it: `media job`. */
  noun: string;
  key: string;
  /** As the service calls it: `task t-1`. */
  label: string;
  /** Why it did not succeed, if so. */
  error?: string;
  /** Why the project did not take its result, if so. */
  unsaved?: string;
  where?: string;
  extra: Record<string, unknown>;
}

export function endMessage(job: FinishedJob): Message {
  const { tool, noun, key, label, error, unsaved, where = '', extra } = job;
  if (error !== undefined)
    return {
      ...{ category: 'agentError', event: 'failed', title: `Your ${noun} failed`, extra },
      message: oneLine(`${tool} for ${key}: ${error}`),
      body: bodyOf(`${tool} for \`${key}\` did not succeed. ${error}`),
    };
  const finished = `${tool} for \`${key}\` is finished (${label})`;
  if (unsaved !== undefined)
    return {
      ...{ category: 'agentError', event: 'unsaved', title: 'A result could not be saved', extra },
      message: `${tool} for ${key} is finished, but the project did not take it.`,
      body: bodyOf(`${finished}, but the project did not take its result: ${unsaved}`),
    };
  return {
    ...{ category: 'agentTaskCompleted', event: 'completed', title: `Your ${noun} is done`, extra },
    message: `${tool} for ${key} is finished.`,
    body: bodyOf(`${finished}.`, where),
  };
}

/** `notSent` was provably not taken, and may be taken later. */
export function noticeOutcome(outcome: NotifyOutcome): NotificationStatus {
  if (outcome.outcome === 'sent') return { status: 'sent' };
  const { reason } = outcome;
  if (outcome.outcome === 'unknown') return { status: 'uncertain', reason };
  return { status: mayChange(outcome) ? 'notSent' : 'refused', reason };
}

/** Sends again only after a request that provably was not accepted. */
async function untilKnown(
  send: () => Promise<NotifyOutcome>,
  { isStale = () => false, onDelay }: Retries = {},
): Promise<NotificationStatus> {
  const pause = newBackoff();
  const begun = Date.now();
  for (;;) {
    const outcome = await CancellationScope.nonCancellable(() => settled(send));
    const notice = noticeOutcome(outcome);
    const tried = Date.now() - begun;
    if (notice.status !== 'notSent' || tried >= LONGEST_TRYING_MS || isStale()) return notice;
    if (tried >= USUAL_TRYING_MS) onDelay?.();
    const asked = outcome.outcome === 'refused' ? outcome.retryAfterMs : undefined;
    const rest = asked === undefined ? pause() : Math.min(Math.max(asked, 1_000), LONGEST_TRYING_MS);
    await condition(isStale, rest);
    if (isStale()) return notice;
  }
}

async function settled(send: () => Promise<NotifyOutcome>): Promise<NotifyOutcome> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { outcome: 'unknown', reason: error.cause?.message ?? error.message };
  }
}
