/** Polls all tasks of a partition together, with one timer and one activity. */
import { ActivityFailure, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { truncate } from '../../api/json';
import { HEARTBEAT_TIMEOUT_MS, type ItemProgress, type PollActivities, type TasksNews } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId, pollTaskQueue } from '../../contract/ids';
import { MISSING_GRACE_MS, msSince } from '../steps/poll';
import { promoteTask } from './promote';
import { type Entry, isOver, type Partition } from './state';
import { keepEnd } from './write';

export async function pollItems(run: Partition): Promise<void> {
  const { pollMin, pollMax } = run.settings;
  const isEnding = (): boolean => run.isHandedOver || run.left !== 'items';
  let pollsAtTheEnd = 0;
  for (;;) {
    await condition(() => isEnding() || run.progress.items.some(isFollowed));
    if (isEnding()) return;
    const usual = Math.round(pollMin + Math.random() * (pollMax - pollMin));
    const pause = run.handingOver ? slower(usual, pollsAtTheEnd++) : usual;
    await condition(isEnding, pause);
    const entries = inTurn(run.entries(isFollowed));
    if (isEnding() || entries.length === 0) continue;
    const news = await poll(run, entries);
    takeTurns(entries, news, run.progress.polls);
    takeNews(run, news);
    promoteOverdue(run);
    run.handOverWhenLong();
  }
}

const LONGEST_PAUSE_MS = 3_600_000;

/** A run that only waits for a chunk in flight, perhaps for hours, polls less and less often: its history is long already. */
export function slower(pause: number, times: number): number {
  return Math.max(pause, Math.min(Math.round(pause * (1 + times / 10) ** 2), LONGEST_PAUSE_MS));
}

function isFollowed({ status, taskId }: ItemProgress): boolean {
  return status === 'running' && taskId !== undefined;
}

async function poll(run: Partition, entries: Entry[]): Promise<TasksNews> {
  const { pollTasks } = proxyActivities<PollActivities>({
    summary: 'polls all tasks of this partition, once each',
    taskQueue: pollTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '2m',
    // Without a poll worker, items still become overdue.
    scheduleToCloseTimeout: '5m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // The next timer polls again.
    retry: { maximumAttempts: 1 },
  });
  run.progress.polls += 1;
  const tasks = entries.map(({ index, asked: { scope }, known }) => ({
    ...{ item: index, taskId: known.taskId ?? '', scope },
    requestId: pollRequestId(run.jobKey(index), run.progress.polls),
  }));
  try {
    return await pollTasks({ tasks });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { over: [], missing: [], known: [], trouble: error.cause?.message ?? error.message };
  }
}

const TASK_FAILED = 'the service ended its task as FAILURE';

function takeNews(run: Partition, { over, missing, known, trouble }: TasksNews): void {
  for (const index of known) run.entry(index).known.missingSince = undefined;
  for (const index of missing) {
    const entry = run.entry(index);
    if (isOver(entry.known)) continue;
    entry.known.missingSince ??= new Date().toISOString();
    if (msSince(entry.known.missingSince) >= MISSING_GRACE_MS)
      promoteTask(run, entry, 'the service does not know its task');
  }
  for (const { item, status, info } of over) {
    const entry = run.entry(item);
    if (isOver(entry.known)) continue;
    if (status === 'SUCCESS') keepEnd(run, entry, { status: 'succeeded', info });
    else
      keepEnd(run, entry, { status: 'failed', error: `${TASK_FAILED}: ${truncate(JSON.stringify(info))}` });
  }
  const before = run.silence;
  const { progress } = run;
  const isSilent = over.length + missing.length + known.length === 0;
  const polls = (progress.silence?.polls ?? 0) + 1;
  progress.silence = isSilent && trouble !== null ? { polls, reason: trouble } : null;
  run.isReportDue ||= over.length > 0 || (before === null) !== (run.silence === null);
}

/** Overdue items become separate jobs when nothing else is left, and in any case after `giveUp`: they may never end. */
function promoteOverdue(run: Partition): void {
  const left = run.entries((known) => !isOver(known));
  const late = left.filter(({ known }) => isLate(run, known));
  const before = run.progress.late;
  run.progress.late = blocksNewWork(run, late.length) ? lateText(run, late.length) : null;
  run.isReportDue ||= (before === null) !== (run.progress.late === null);
  const isAllThatIsLeft = late.length === left.length;
  // It waited long enough here, and is overdue from the first poll on.
  const poll = { ...run.input.poll, deadline: '0s' };
  for (const entry of late) {
    const isPastGiveUp = msSince(entry.known.since ?? '') >= run.settings.giveUp;
    if (isAllThatIsLeft || isPastGiveUp) promoteTask(run, entry, 'its task takes too long', poll);
  }
}

/** Overdue tasks keep their slots: otherwise a slow service would get more and more tasks, beyond the concurrency. */
function blocksNewWork({ progress: { slotGrant, items } }: Partition, late: number): boolean {
  const running = items.filter(({ status }) => status === 'running').length;
  const isWaiting = items.some(({ status }) => status === 'waiting');
  const isFull = late > 0 && late >= slotGrant.slots;
  return isFull && late === running && isWaiting && !slotGrant.paused;
}

function lateText({ settings, input }: Partition, late: number): string {
  return `${late} tasks of partition ${input.n} are not over after ${formatDuration(settings.deadline)}, and others wait for their slots`;
}

/** While polls fail, tasks may be over unseen. */
function isLate({ settings, progress }: Partition, { taskId, since }: ItemProgress): boolean {
  const patience = progress.silence ? 2 * settings.deadline : settings.deadline;
  return taskId !== undefined && since !== undefined && msSince(since) >= patience;
}

interface Turn {
  index: number;
  known: Pick<ItemProgress, 'turn'>;
}

/**
 * A poll of a slow service ends before it reaches all tasks. Tasks that it did not reach come first in the next one, and
 * those without an answer last, so that each is polled in turn.
 */
export function inTurn<Polled extends Turn>(entries: Polled[]): Polled[] {
  const turnOf = ({ known: { turn = 0 } }: Turn): number => turn;
  return [...entries].sort((one, other) => turnOf(one) - turnOf(other));
}

/** A task that gave no answer stays behind all others until it gives one. */
export function takeTurns(
  entries: Turn[],
  { unanswered = [], notPolled = [] }: Pick<TasksNews, 'unanswered' | 'notPolled'>,
  poll: number,
): void {
  for (const { index, known } of entries) {
    if (unanswered.includes(index)) known.turn = poll;
    else if (!notPolled.includes(index)) known.turn = undefined;
    // The longer it waits, the further below 0.
    else known.turn ??= -1 / poll;
  }
}
