/** Notifies the users that items name, in chunks, each at most once. */
import { condition, proxyActivities } from '@temporalio/workflow';
import {
  HEARTBEAT_TIMEOUT_MS,
  type ItemProgress,
  type NotifyEvent,
  type NotifyOutcome,
  RECORDING_MARGIN_MS,
  type SegueActivities,
} from '../../contract';
import { notifyRequestId } from '../../contract/ids';
import { AT_MOST_ONCE, doubling, senderOf } from '../lib/atMostOnce';
import { letter, type Message, notificationTo, oneLine } from '../lib/notify';
import { outcomesOf } from './chunk';
import { type Entry, isNoticeDue, type Partition } from './state';

const NOTIFY_TIMEOUT_MS = 30_000;
/** Of one activity. More than of submits: an uncertain notification costs nothing. */
const MOST_NOTICES = 100;
/** After that a notification is given up. */
const LONGEST_TRYING_MS = 3_600_000;
const LONGEST_PAUSE_MS = 60_000;

const { notifyChunk } = proxyActivities<SegueActivities>({
  summary: 'notifies several people, each at most once',
  startToCloseTimeout: NOTIFY_TIMEOUT_MS + RECORDING_MARGIN_MS,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: AT_MOST_ONCE,
});

/** To be called when the item is over and its project is written. */
export function addNotice({ asked, known }: Pick<Entry, 'asked' | 'known'>): void {
  const { notify } = asked;
  if (notify && (notify.on?.includes(eventOf(known)) ?? true))
    known.notice = { due: new Date().toISOString() };
}

function eventOf({ status, unwritten }: ItemProgress): NotifyEvent {
  return status === 'succeeded' && unwritten === undefined ? 'completed' : 'failed';
}

/** Until nothing is left to send, or the next run continues with it. */
export async function notifyUsers(run: Partition): Promise<void> {
  let backoff = newBackoff();
  // A single one is tried while none succeeds.
  let isCautious = false;
  for (;;) {
    await condition(() => run.hasDueNotices() || run.isAtEnd());
    const some = run.leastTried(isNoticeDue, triesOf, isCautious ? 1 : MOST_NOTICES);
    if (run.isHandedOver() || some.length === 0) return;
    run.isNotifying = true;
    const outcomes = await sendChunk(run, some);
    run.isNotifying = false;
    run.handOverWhenLong();
    isCautious = !outcomes.some(({ outcome }) => outcome === 'sent');
    if (!isCautious) backoff = newBackoff();
    // Another target may take its notification although these did not.
    const mayGoOn = !isCautious && some.every(({ known }) => !isNoticeDue(known));
    if (!mayGoOn && run.hasDueNotices())
      await condition(() => run.isHandedOver(), Math.max(backoff.next(), retryAfter(outcomes)), {
        summary: 'until notifications are taken',
      });
  }
}

function newBackoff(): { next(): number } {
  return doubling(1_000, LONGEST_PAUSE_MS);
}

function triesOf({ notice }: ItemProgress): number {
  return notice && 'due' in notice ? (notice.tries ?? 0) : 0;
}

/** Of a 429. */
function retryAfter(outcomes: NotifyOutcome[]): number {
  const asked = outcomes.map((outcome) => (outcome.outcome === 'refused' ? (outcome.retryAfterMs ?? 0) : 0));
  return Math.min(Math.max(...asked), LONGEST_TRYING_MS);
}

async function sendChunk(run: Partition, entries: Entry[]): Promise<NotifyOutcome[]> {
  const notices = entries.flatMap((entry) => {
    const { notify } = entry.asked;
    if (!notify) return [];
    const message = messageOf(entry);
    const requestId = notifyRequestId(run.jobKey(entry.index), message.event);
    return [{ item: entry.index, notification: notificationTo(notify, message), requestId }];
  });
  const indexes = entries.map(({ index }) => index);
  const outcomes = await outcomesOf(indexes, () => notifyChunk({ notices, runId: senderOf(run) }));
  for (const [index, { known }] of entries.entries()) {
    const outcome = outcomes[index];
    if (outcome) known.notice = afterTry(known.notice, outcome);
  }
  const last = outcomes[entries.findIndex(({ known }) => isNoticeDue(known))];
  if (last && last.outcome !== 'sent') giveUpOld(run, last.reason);
  return outcomes;
}

/** Only what was provably not taken is sent again. */
function afterTry(before: ItemProgress['notice'], outcome: NotifyOutcome): ItemProgress['notice'] {
  if (outcome.outcome === 'sent') return { status: 'sent' };
  const { reason } = outcome;
  if (outcome.outcome === 'unknown') return { status: 'uncertain', reason };
  const mayChange = outcome.outcome === 'notSent' || [401, 403, 425, 429].includes(outcome.status ?? 0);
  if (!mayChange) return { status: 'refused', reason };
  const { due, tries = 0 } = before && 'due' in before ? before : { due: new Date().toISOString() };
  return { due, tries: tries + 1 };
}

/** All that are so old are given up together: to try each once more would take hours. */
function giveUpOld(run: Partition, reason: string): void {
  for (const known of run.progress.items) {
    const { notice } = known;
    const isOld = notice && 'due' in notice && Date.now() - Date.parse(notice.due) >= LONGEST_TRYING_MS;
    if (isOld && triesOf(known) > 0) known.notice = { status: 'notSent', reason };
  }
}

function messageOf({ asked: { tool, key }, known }: Entry): Message {
  const { status, error, unwritten, taskId = '' } = known;
  const extra = { item: key, ...(known.taskId === undefined ? {} : { task_id: known.taskId }) };
  if (status !== 'succeeded')
    return {
      ...{ category: 'agentError', event: 'failed', title: 'Your media job failed', extra },
      message: oneLine(`${tool} for ${key}: ${error ?? ''}`),
      body: letter(`${tool} for \`${key}\` did not succeed. ${error ?? ''}`),
    };
  if (unwritten !== undefined)
    return {
      ...{ category: 'agentError', event: 'unwritten', title: 'A result could not be saved', extra },
      message: `${tool} for ${key} is finished, but the project did not take it.`,
      body: letter(
        `${tool} for \`${key}\` is finished (task \`${taskId}\`), but the project did not take its result: ${unwritten}`,
      ),
    };
  return {
    ...{ category: 'agentTaskCompleted', event: 'completed', title: 'Your media job is done', extra },
    message: `${tool} for ${key} is finished.`,
    body: letter(`${tool} for \`${key}\` is finished (task \`${taskId}\`).`),
  };
}
