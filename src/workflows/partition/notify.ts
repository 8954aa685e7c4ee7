/** Notifies the users that items name, in chunks, each at most once. */
import { condition, proxyActivities } from '@temporalio/workflow';
import { type ItemProgress, type NotifyOutcome, type SegueActivities } from '../../contract';
import { notifyRequestId } from '../../contract/ids';
import { newBackoff, outcomesOf, senderOf } from '../lib/atMostOnce';
import {
  endMessage,
  LONGEST_TRYING_MS,
  type Message,
  noticeOutcome,
  notificationTo,
  NOTIFY_OPTIONS,
} from '../lib/notify';
import { type Entry, isNoticeDue, type Partition } from './state';

/** Of one activity. More than of submits: an uncertain notification costs nothing. */
const MOST_NOTICES = 100;

const { notifyChunk } = proxyActivities<SegueActivities>(NOTIFY_OPTIONS);

/** To be called when the item is over and its project is written. */
export function addNotice({ asked, known }: Pick<Entry, 'asked' | 'known'>): void {
  const { notify } = asked;
  const event = known.status === 'succeeded' ? 'completed' : 'failed';
  if (notify && (notify.on?.includes(event) ?? true)) known.notice = { due: new Date().toISOString() };
}

/** Until nothing is left to send, or the next run continues with it. */
export async function notifyUsers(run: Partition): Promise<void> {
  let backoff = newBackoff();
  // A single one is tried again while none succeeds.
  let isCautious = false;
  for (;;) {
    await condition(() => run.progress.items.some(isNoticeDue) || run.isFinished);
    const isAnyNew = run.progress.items.some((known) => isNoticeDue(known) && triesOf(known) === 0);
    const some = run.leastTried(isNoticeDue, triesOf, isCautious && !isAnyNew ? 1 : MOST_NOTICES);
    if (run.isHandedOver || some.length === 0) return;
    run.isNotifying = true;
    const outcomes = await sendChunk(run, some);
    run.isNotifying = false;
    run.handOverWhenLong();
    isCautious = !outcomes.some(({ outcome }) => outcome === 'sent');
    if (!isCautious) backoff = newBackoff();
    // Another target may take its notification although these did not.
    const mayGoOn = !isCautious && some.every(({ known }) => !isNoticeDue(known));
    if (!mayGoOn && run.progress.items.some(isNoticeDue))
      await condition(() => run.isHandedOver, Math.max(backoff(), retryAfter(outcomes)), {
        summary: 'until notifications are taken',
      });
  }
}

function triesOf({ notice }: ItemProgress): number {
  return notice && 'due' in notice ? (notice.tries ?? 0) : 0;
}

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
  const notice = noticeOutcome(outcome);
  if (notice.status !== 'notSent') return notice;
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
  const { status, error = '', unwritten, taskId } = known;
  return endMessage({
    ...{ tool, noun: 'media job', key, label: `task \`${taskId ?? ''}\`` },
    unsaved: unwritten,
    error: status === 'failed' ? error : undefined,
    extra: { item: key, ...(taskId === undefined ? {} : { task_id: taskId }) },
  });
}
