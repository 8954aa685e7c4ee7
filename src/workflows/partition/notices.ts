/** Tells the users that items name themselves, several at once, each at most once. */
import { condition, proxyActivities } from '@temporalio/workflow';
import {
  HEARTBEAT_TIMEOUT_MS,
  type ItemProgress,
  type NoticeOutcome,
  type NotifyEvent,
  type NotifyOutcome,
  RECORDING_MARGIN_MS,
  type SegueActivities,
} from '../../contract';
import { notifyRequestId } from '../../contract/ids';
import { AT_MOST_ONCE } from '../lib/atMostOnce';
import { doubling } from '../lib/atMostOnce';
import { senderOf } from '../lib/atMostOnce';
import { type Message, notificationTo } from '../lib/notify';
import { outcomesOf } from './chunk';
import {
  endWhenLong,
  type Entry,
  firstEntriesWith,
  isAtEnd,
  isHandedOver,
  jobKeyOf,
  type Partition,
} from './run';

const NOTIFY_TIMEOUT_MS = 30_000;
/** Told by one activity, at once. They cost nothing, so that more of them may be uncertain than of submits. */
const MOST_NOTICES = 100;
/** Work is not kept from ending by notifications that nobody takes. */
const LONGEST_TRYING_MS = 3_600_000;
const LONGEST_PAUSE_MS = 60_000;

const { notifyChunk } = proxyActivities<SegueActivities>({
  summary: 'tells several people, each at most once',
  startToCloseTimeout: NOTIFY_TIMEOUT_MS + RECORDING_MARGIN_MS,
  scheduleToCloseTimeout: '24h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: AT_MOST_ONCE,
});

/** To be called when the item is over and its project knows. */
export function noteNotice({ asked, known }: Pick<Entry, 'asked' | 'known'>): void {
  const { notify } = asked;
  if (notify && (notify.on?.includes(eventOf(known)) ?? true))
    known.notice = { due: new Date().toISOString() };
}

function eventOf({ status, unwritten }: ItemProgress): NotifyEvent {
  return status === 'succeeded' && unwritten === undefined ? 'completed' : 'failed';
}

function isDue({ notice }: ItemProgress): boolean {
  return notice !== undefined && 'due' in notice;
}

export function isAnybodyUntold({ progress }: Partition): boolean {
  return progress.items.some(isDue);
}

/** Until the partition ends, and then until everybody was told or the next run goes on with it. */
export async function tellUsers(run: Partition): Promise<void> {
  let pause = newPause();
  let isCautious = false;
  for (;;) {
    await condition(() => isAnybodyUntold(run) || isAtEnd(run));
    const some = nextNotices(run, isCautious);
    if (isHandedOver(run) || some.length === 0) return;
    run.isTelling = true;
    const outcomes = await tellChunk(run, some);
    run.isTelling = false;
    endWhenLong(run);
    isCautious = !outcomes.some(({ outcome }) => outcome === 'sent');
    if (!isCautious) pause = newPause();
    // Whoever was not tried yet may be told where others cannot.
    const mayGoOn = !isCautious && some.every(({ known }) => !isDue(known));
    if (!mayGoOn && isAnybodyUntold(run))
      await condition(() => isHandedOver(run), Math.max(pause.next(), askedPause(outcomes)), {
        summary: 'until notifications are taken',
      });
  }
}

function newPause(): { next(): number } {
  return doubling(1_000, LONGEST_PAUSE_MS);
}

/** Those who were tried least; of those who were tried before, one by himself while none of them can be told. */
function nextNotices(run: Partition, isCautious: boolean): Entry[] {
  const fewest = run.progress.items.reduce(
    (least, known) => (isDue(known) ? Math.min(least, triesOf(known)) : least),
    Infinity,
  );
  const most = isCautious && fewest > 0 ? 1 : MOST_NOTICES;
  return firstEntriesWith(run, (known) => isDue(known) && triesOf(known) === fewest, most);
}

function triesOf({ notice }: ItemProgress): number {
  return notice && 'due' in notice ? (notice.tries ?? 0) : 0;
}

/** As the service says with a 429. */
function askedPause(outcomes: NotifyOutcome[]): number {
  const asked = outcomes.map((outcome) => (outcome.outcome === 'refused' ? (outcome.retryAfterMs ?? 0) : 0));
  return Math.min(Math.max(...asked), LONGEST_TRYING_MS);
}

async function tellChunk(run: Partition, entries: Entry[]): Promise<NotifyOutcome[]> {
  const notices = entries.flatMap((entry) => {
    const { notify } = entry.asked;
    if (!notify) return [];
    const message = messageOf(entry);
    const requestId = notifyRequestId(jobKeyOf(run, entry.place), message.event);
    return [{ item: entry.place, notification: notificationTo(notify, message), requestId }];
  });
  const places = entries.map(({ place }) => place);
  const outcomes = await outcomesOf(places, () => notifyChunk({ notices, runId: senderOf(run) }));
  for (const [index, { known }] of entries.entries()) {
    const outcome = outcomes[index];
    if (outcome) known.notice = afterTry(known.notice, outcome);
  }
  const [tooLate] = entries.flatMap(({ known }) => reasonOfGivingUp(known));
  if (tooLate !== undefined) giveUpWith(run, tooLate);
  return outcomes;
}

/** Sent again is only what provably was not taken. */
function afterTry(before: ItemProgress['notice'], outcome: NotifyOutcome): ItemProgress['notice'] {
  if (outcome.outcome === 'sent') return { status: 'sent' };
  const { reason } = outcome;
  if (outcome.outcome === 'unknown') return { status: 'uncertain', reason };
  const mayChange = outcome.outcome === 'notSent' || [401, 403, 425, 429].includes(outcome.status ?? 0);
  if (!mayChange) return { status: 'refused', reason };
  const { due, tries = 0 } = before && 'due' in before ? before : { due: new Date().toISOString() };
  return isTooLate(due) ? ({ status: 'notSent', reason } satisfies NoticeOutcome) : { due, tries: tries + 1 };
}

function reasonOfGivingUp({ notice }: ItemProgress): string[] {
  return notice && 'status' in notice && notice.status === 'notSent'
    ? [notice.reason ?? 'it was not sent']
    : [];
}

function isTooLate(due: string): boolean {
  return Date.now() - Date.parse(due) >= LONGEST_TRYING_MS;
}

/** One that was tried too long stands for all that were: each by himself would take hours. */
function giveUpWith(run: Partition, reason: string): void {
  for (const known of run.progress.items) {
    const { notice } = known;
    if (notice && 'due' in notice && triesOf(known) > 0 && isTooLate(notice.due))
      known.notice = { status: 'notSent', reason };
  }
}

function messageOf({ asked: { tool, key }, known }: Entry): Message {
  const { status, error, unwritten, taskId = '' } = known;
  const extra = { item: key, ...(known.taskId === undefined ? {} : { task_id: known.taskId }) };
  if (status !== 'succeeded')
    return {
      ...{ category: 'agentError', event: 'failed', title: 'Your media job failed', extra },
      message: short(`${tool} for ${key}: ${error ?? ''}`),
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

function letter(report: string): string {
  return ['Hello,', report, 'Segue'].join('\n\n');
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}
