/** Keeps what became of items, writes it to their projects, together where they share one, and then notifies their users. */
import { condition, proxyActivities, uuid4, workflowInfo } from '@temporalio/workflow';
import { bytesOf } from '../../api/json';
import {
  type AskedChange,
  type ItemProgress,
  type NotifyOutcome,
  type PendingWrite,
  type Saved,
  type SegueActivities,
  type Step,
} from '../../contract';
import { changeIdOf, notifyRequestId } from '../../contract/ids';
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

/** The user is notified after the project is written. */
export function keepEnd(
  run: Partition,
  entry: Entry,
  end: { status: 'succeeded'; info: unknown } | { status: 'failed'; error: string },
): void {
  Object.assign(entry.known, end);
  if (entry.asked.write) save(run, entry);
  else addNotice(entry);
}

function finish(run: Partition, index: number, error: string | undefined): void {
  const entry = run.entry(index);
  entry.known.unwritten = error;
  if (error !== undefined && entry.known.status === 'succeeded') entry.known.status = 'unsaved';
  if (entry.known.status !== 'cancelled') addNotice(entry);
}

/** The project names the task, which continues at the service. */
export function recordCancelled(run: Partition, index: number): void {
  const entry = run.entry(index);
  if (entry.known.taskId !== undefined) save(run, entry);
}

/** Of one change: a writer has room for those of five partitions that share a project. */
const LARGEST_CHANGE_BYTES = 48_000;

function save(run: Partition, { index, asked, known }: Entry): void {
  if (!asked.write) return;
  const { pendingWrites } = run.progress;
  const { project, at, failedAt } = asked.write;
  const finishedAt = new Date().toISOString();
  const saved = { item: index, at: known.status === 'succeeded' ? at : (failedAt ?? at), finishedAt };
  const address = JSON.stringify([project.resourcetype, project.id, asked.scope ?? null]);
  const open = pendingWrites.find((write) => write.address === address);
  if (open) open.waiting.push(saved);
  else pendingWrites.push({ address, project, scope: asked.scope, halves: [], waiting: [saved] });
  void writeSoon(run);
}

/** For so long, changes are collected while polls bring new ones: each request costs a signal for each shard. */
const COLLECT_MS = 2_000;

/** Items that end in the same moment, or in polls that follow each other fast, go together. */
async function writeSoon(run: Partition): Promise<void> {
  if (run.isSaving) return;
  run.isSaving = true;
  await Promise.resolve();
  const isEnding = (): boolean => run.handingOver || run.left !== 'items';
  if (run.settings.pollMax <= COLLECT_MS)
    await condition(isEnding, COLLECT_MS, { summary: 'for items that end soon' });
  run.isSaving = false;
  for (const write of run.progress.pendingWrites) if (!write.asked) writeNext(run, write);
}

export function resumeWrites(run: Partition): void {
  for (const write of run.progress.pendingWrites) writeNext(run, write);
}

/** A project has one change at a time. `write` always says how far it is: another run may continue it. */
function writeNext(run: Partition, write: PendingWrite): void {
  const asked = (write.asked ??= nextOf(run, write));
  const { project, scope } = write;
  run.writes.add({
    ...{ project, scope, changeId: asked.changeId, asked },
    change: () => ({ steps: asked.items.map((item) => stepOf(run, item)) }),
    onOutcome: (outcome) => {
      // The batch shows a delay that is over now.
      run.isReportDue ||= run.isDelayReported;
      write.asked = undefined;
      takeOutcome(run, write, asked.items, outcome?.ok === false ? outcome : undefined);
      run.handOverWhenLong();
    },
    // Waiting for a writer may take days, and adds to the history.
    onDelay: () => {
      run.isReportDue ||= run.delay !== null;
      run.handOverWhenLong();
    },
  });
}

function nextOf(run: Partition, { halves, waiting }: PendingWrite): AskedChange {
  const items = halves.shift() ?? waiting.splice(0, howManyFit(run, waiting));
  // Random: after a reset, a change holds other items.
  return { changeId: changeIdOf(workflowInfo().workflowId, uuid4()), items };
}

function howManyFit(run: Partition, items: Saved[]): number {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += bytesOf(stepOf(run, item))) > LARGEST_CHANGE_BYTES);
  return tooMany === -1 ? items.length : Math.max(tooMany, 1);
}

/** A refused change is halved until the bad item is alone, unless its project takes no change at all. */
function takeOutcome(
  run: Partition,
  write: PendingWrite,
  items: Saved[],
  refusal?: { error: string; wholeProject?: true },
): void {
  const { halves, waiting } = write;
  if (refusal && !refusal.wholeProject && items.length > 1) {
    const half = Math.ceil(items.length / 2);
    halves.unshift(items.slice(0, half), items.slice(half));
  } else {
    const others = refusal?.wholeProject ? [...halves.splice(0), waiting.splice(0)].flat() : [];
    for (const { item } of [...items, ...others]) finish(run, item, refusal?.error);
  }
  const { pendingWrites } = run.progress;
  if (halves.length + waiting.length > 0) void writeSoon(run);
  else pendingWrites.splice(pendingWrites.indexOf(write), 1);
}

/** Made from the item's state when sent: results are too large to be carried twice. */
function stepOf(run: Partition, { item, at, finishedAt }: Saved): Step {
  const { asked, known } = run.entry(item);
  const { status, info, error, taskId = null } = known;
  const what = status === 'succeeded' ? { info } : { status, error };
  return { at, set: { key: asked.key, taskId, ...what, finishedAt } };
}

/** Of one activity. More than of submits: an uncertain notification costs nothing. */
const MOST_NOTICES = 100;

const { notifyChunk } = proxyActivities<SegueActivities>(NOTIFY_OPTIONS);

/** To be called when the item is over and its project is written. */
function addNotice({ asked, known }: Pick<Entry, 'asked' | 'known'>): void {
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
