/** Notifications, each at most once. */
import {
  ActivityFailure,
  CancellationScope,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  HEARTBEAT_TIMEOUT_MS,
  type NoticeOutcome,
  type Notification,
  type NotifyOutcome,
  type NotifyTarget,
  type OperatorOrder,
  RECORDING_MARGIN_MS,
  type SegueActivities,
} from '../../contract';
import { notifyRequestId } from '../../contract/ids';
import { AT_MOST_ONCE } from './atMostOnce';
import { doubling } from './backoff';
import { type Following, knownFacts, senderOf, type Sender } from '../steps/following';

const NOTIFY_TIMEOUT_MS = 30_000;
/** Work is not kept from ending by a notification that nobody takes. */
const LONGEST_TRYING_MS = 3_600_000;
const USUAL_TRYING_MS = 2 * 60_000;

const once = proxyActivities<SegueActivities>({
  summary: 'tells a person, at most once',
  startToCloseTimeout: NOTIFY_TIMEOUT_MS + RECORDING_MARGIN_MS,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: AT_MOST_ONCE,
});

/** What a person is told; who that is comes from elsewhere. */
export type Message = Pick<Notification, 'category' | 'title' | 'message' | 'body'> & {
  /** Names the event among those of this run: it is told at most once. */
  event: string;
  extra: Record<string, unknown>;
  /** As in an order to tell the operator. */
  denied?: OperatorOrder['denied'];
  /** From then on it is not sent; only users are told such. ISO 8601. */
  sendBefore?: string;
};

/** `onDelay` is called, again and again, once it takes longer than it should. */
export function tellUser(
  run: Sender,
  to: NotifyTarget,
  message: Message,
  onDelay?: () => void,
  tries?: Tries,
): Promise<NoticeOutcome> {
  const notification = notificationTo(to, message);
  const requestId = notifyRequestId(run.subject.requestName, message.event);
  const { sendBefore } = message;
  const send = (): Promise<NotifyOutcome> =>
    once.notify({ notification, requestId, runId: senderOf(run), sendBefore });
  const isOver = (): boolean => isTooLate(message) || (tries?.isStale?.() ?? false);
  return untilKnown(send, onDelay, isOver, tries);
}

/** Whether its time has passed. */
export function isTooLate({ sendBefore }: Pick<Message, 'sendBefore'>): boolean {
  return sendBefore !== undefined && Date.now() >= Date.parse(sendBefore);
}

export function notificationTo(to: NotifyTarget, message: Message): Notification {
  const { userId, workspaceId, threadId, link, ctaLabel } = to;
  // Other languages write null for what they leave out, and the service takes none.
  const optional = {
    threadId: threadId ?? undefined,
    link: link ?? undefined,
    ctaLabel: ctaLabel ?? undefined,
  };
  return { userId, workspaceId, ...optional, ...contentOf(message) };
}

/** For what may be told by one run after the other. */
export interface Tries {
  /** When the first was made, in milliseconds. */
  begun: number;
  /** Waits so long for the next one; meanwhile nothing is on its way. */
  rest: (ms: number) => Promise<void>;
  /** Whether it says nothing any more; then it is not tried again. */
  isStale?: () => boolean;
}

/** Nobody may be named as operator; then nobody is told, and that is no trouble. */
export function tellOperator(run: Sender, message: Message, tries?: Tries): Promise<NoticeOutcome> {
  const requestId = notifyRequestId(run.subject.requestName, `${message.event}.operator`);
  const send = async (): Promise<NotifyOutcome> => {
    const outcome = await once.tellOperator({
      notification: contentOf({ ...message, category: 'agentError' }),
      denied: message.denied,
      requestId,
      runId: senderOf(run),
    });
    return outcome.outcome === 'nobody' ? { outcome: 'sent' } : outcome;
  };
  return untilKnown(send, undefined, undefined, tries);
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

/** The service takes no text that repeats the title, and the words of a person or of the service itself may do that. */
function withoutTitle(text: string, title: string): string {
  const words = title.split(' ').map((word) => word.replace(/[^\w]/g, '\\$&'));
  return text.replace(new RegExp(words.join('\\s*'), 'gi'), '…');
}

/** What a notification tells programs: which job, and what the service calls it. */
export function extraOf(run: Following): Record<string, string> {
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const facts = knownFacts(run).map(([name, value]) => [snakeCase(name), value] as const);
  return { job_key: run.input.key, ...Object.fromEntries<string>(facts) };
}

/** Sends again only what provably was not taken. */
async function untilKnown(
  send: () => Promise<NotifyOutcome>,
  onDelay: () => void = () => undefined,
  isOver: () => boolean = () => false,
  { begun, rest }: Tries = { begun: Date.now(), rest: (ms) => sleep(ms) },
): Promise<NoticeOutcome> {
  const pause = doubling(1_000, 60_000);
  for (;;) {
    const outcome = await CancellationScope.nonCancellable(() => settled(send));
    if (outcome.outcome === 'sent') return { status: 'sent' };
    const { reason } = outcome;
    if (outcome.outcome === 'unknown') return { status: 'uncertain', reason };
    const mayChange = outcome.outcome === 'notSent' || [401, 403, 425, 429].includes(outcome.status ?? 0);
    if (!mayChange) return { status: 'refused', reason };
    const tried = Date.now() - begun;
    if (tried >= LONGEST_TRYING_MS) return { status: 'notSent', reason };
    if (tried >= USUAL_TRYING_MS) onDelay();
    const asked = outcome.outcome === 'refused' ? outcome.retryAfterMs : undefined;
    await rest(asked === undefined ? pause.next() : Math.min(Math.max(asked, 1_000), LONGEST_TRYING_MS));
    if (isOver()) return { status: 'notSent', reason };
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
