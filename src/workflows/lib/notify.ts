/** Notifications to users and operators, each sent at most once. */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  log,
  metricMeter,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import {
  HEARTBEAT_TIMEOUT_MS,
  type Hold,
  type NoticeOutcome,
  type Notification,
  type NotifyOutcome,
  type NotifyTarget,
  type OperatorOrder,
  RECORDING_MARGIN_MS,
  type SegueActivities,
} from '../../contract';
import { formatDuration } from '../../contract/durations';
import { notifyRequestId } from '../../contract/ids';
import { type Job } from '../steps/job';
import { commandsOf, MEANING } from '../steps/visibility';
import { AT_MOST_ONCE, doubling, type Sender, senderOf } from './atMostOnce';

const NOTIFY_TIMEOUT_MS = 30_000;
/** A notification that the service does not take must not keep a job open longer. */
const LONGEST_TRYING_MS = 3_600_000;
const USUAL_TRYING_MS = 2 * 60_000;

const once = proxyActivities<SegueActivities>({
  summary: 'tells a person, at most once',
  startToCloseTimeout: NOTIFY_TIMEOUT_MS + RECORDING_MARGIN_MS,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: AT_MOST_ONCE,
});

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

/** `onDelay` is called before each retry after {@link USUAL_TRYING_MS}. */
export function tellUser(
  job: Sender,
  to: NotifyTarget,
  message: Message,
  onDelay?: () => void,
  tries?: Tries,
): Promise<NoticeOutcome> {
  const notification = notificationTo(to, message);
  const requestId = notifyRequestId(job.requestName, message.event);
  const { sendBefore } = message;
  const send = (): Promise<NotifyOutcome> =>
    once.notify({ notification, requestId, runId: senderOf(job), sendBefore });
  const isOver = (): boolean => isTooLate(message) || (tries?.isStale?.() ?? false);
  return untilKnown(send, onDelay, isOver, tries);
}

export function isTooLate({ sendBefore }: Pick<Message, 'sendBefore'>): boolean {
  return sendBefore !== undefined && Date.now() >= Date.parse(sendBefore);
}

export function notificationTo(to: NotifyTarget, message: Message): Notification {
  const { userId, workspaceId, threadId, link, ctaLabel } = to;
  // Other languages write null for what they leave out, and the service refuses null.
  const optional = {
    threadId: threadId ?? undefined,
    link: link ?? undefined,
    ctaLabel: ctaLabel ?? undefined,
  };
  return { userId, workspaceId, ...optional, ...contentOf(message) };
}

export function letter(...paragraphs: string[]): string {
  return ['Hello,', ...paragraphs.filter((text) => text !== ''), 'Segue'].join('\n\n');
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

/** Retries that outlast a run. */
export interface Tries {
  /** Time of the first try, in milliseconds. */
  begun: number;
  /** Waits for the next try; the run may continue as new there, because nothing is being sent. */
  rest: (ms: number) => Promise<void>;
  /** Whether the notification is outdated; then it is not tried again. */
  isStale?: () => boolean;
}

/** Without a configured operator nobody is notified, and the outcome is `sent`. */
export function tellOperator(job: Sender, message: Message, tries?: Tries): Promise<NoticeOutcome> {
  const requestId = notifyRequestId(job.requestName, `${message.event}.operator`);
  const send = async (): Promise<NotifyOutcome> => {
    const outcome = await once.tellOperator({
      notification: contentOf({ ...message, category: 'agentError' }),
      denied: message.denied,
      requestId,
      runId: senderOf(job),
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

/** The service refuses a text that repeats the title. */
function withoutTitle(text: string, title: string): string {
  const words = title.split(' ').map((word) => word.replace(/[^\w]/g, '\\$&'));
  return text.replace(new RegExp(words.join('\\s*'), 'gi'), '…');
}

/** The `_extra` fields of a job's notifications. */
export function extraOf(job: Job): Record<string, string> {
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const facts = Object.entries(job.facts()).flatMap(([name, value]) =>
    value === null ? [] : [[snakeCase(name), value] as const],
  );
  return { job_key: job.input.key, ...Object.fromEntries<string>(facts) };
}

/** Sends again only after a request that provably was not accepted. */
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

const TITLES: Record<Hold['why'], string> = {
  unknown: 'A job needs your decision',
  missing: 'The service no longer knows a job',
  overdue: 'A job takes longer than expected',
};

/** Name of the counter of alarms, by `why`. */
const ALARMS = 'segue_alarms';

interface Alarm {
  why: Hold['why'] | 'denied';
  event: string;
  title: string;
  reason: string;
  meaning: string;
  todo: string[];
  /** Only for the operator: see {@link OperatorOrder}. */
  denied?: Message['denied'];
}

/** Notifies once that a job waits for a decision. Cancel the scope once it is decided. */
export function alarm(job: Job, { n, why, reason }: Omit<Hold, 'since'>): CancellationScope {
  return raise(job, {
    why,
    event: why === 'overdue' ? `overdue-${n}` : `held-${n}`,
    title: TITLES[why],
    reason,
    meaning: MEANING[why],
    todo: commandsOf(job).map(({ when, command }) => `- If ${when}: \`${command}\``),
  });
}

/**
 * Notifies once that the service denies the workers' credential, as submission `n` met first. Cancel the scope once it
 * does not.
 */
export function alarmOfDenial(
  job: Job,
  { n, status, reason }: { n: number; status?: number; reason: string },
  graceMs: number,
): CancellationScope {
  return raise(job, {
    why: 'denied',
    // A resubmit, days later, may meet another denial, which is another event.
    event: `denied-${n}`,
    title: 'The service denies access',
    reason,
    denied: { status, scope: job.input.scope },
    meaning: `Nothing was accepted. Jobs wait for ${formatDuration(graceMs)} for a credential that works, then they fail.`,
    todo: [
      '- Look at the credential of the workers: `segue doctor`',
      '- Other jobs that meet the same are not told one by one: `segue media list --stage waiting`',
    ],
  });
}

/**
 * Log and metric come first, because the service may be down; then the operator and the job's user are notified, with
 * retries.
 */
function raise(job: Job, { why, event, title, reason, meaning, todo, denied }: Alarm): CancellationScope {
  const { input, tool } = job;
  log.error('a person is needed', { key: input.key, why, reason, ...job.facts() });
  metricMeter.createCounter(ALARMS).add(1, { why });
  const greeting = `the job \`${input.key}\` (${tool}) waits for a person. ${reason}`;
  const message: Message = {
    category: 'agentNeedsInput',
    event,
    title,
    message: `${tool} for ${input.key}: ${reason}`.replace(/\s+/g, ' ').slice(0, 300),
    body: ['Hello,', greeting, meaning, ...todo, 'Segue'].join('\n\n'),
    extra: extraOf(job),
    denied,
  };
  const operatorKnows = job.isOperatorNotified;
  job.isOperatorNotified = false;
  const sending = scopeOfSending();
  job.alarms += 1;
  sending
    .run(() => sendAlarm(job, message, operatorKnows))
    .catch(ignoreCancellation)
    .finally(() => {
      job.alarms -= 1;
    });
  return sending;
}

/** A cancellation from before the hold does not end it, so it must not end its notification. */
function scopeOfSending(): CancellationScope {
  if (!CancellationScope.current().consideredCancelled) return new CancellationScope();
  return new CancellationScope({ cancellable: true, parent: new CancellationScope({ cancellable: false }) });
}

async function sendAlarm(job: Job, message: Message, operatorKnows: boolean): Promise<void> {
  const { notify } = job.input;
  const wantsToKnow = notify && (notify.on?.includes('needsInput') ?? true);
  const outcomes = await Promise.all([
    ...(operatorKnows ? [] : [tellOperator(job, message)]),
    ...(wantsToKnow ? [tellUser(job, notify, message)] : []),
  ]);
  for (const outcome of outcomes)
    if (outcome.status !== 'sent')
      log.warn('an alarm may not have arrived', { event: message.event, ...outcome });
}

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
