/** Polls all tasks of a partition together, with one timer and one activity. */
import { ActivityFailure, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { truncate } from '../../api/json';
import { HEARTBEAT_TIMEOUT_MS, type ItemProgress, type PollActivities, type TasksNews } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId, pollTaskQueue } from '../../contract/ids';
import { MISSING_GRACE_MS, msSince, OVERDUE_INTERVAL_MS } from '../steps/poll';
import { promoteTask } from './promote';
import { type Entry, isOver, type Partition } from './state';
import { keepEnd } from './finish';

export async function pollItems(run: Partition): Promise<void> {
  const { pollMin, pollMax } = run.settings;
  const isEnding = (): boolean => run.isHandedOver || run.left !== 'items';
  let pollsAtTheEnd = 0;
  for (;;) {
    await condition(() => isEnding() || run.progress.items.some(isFollowed));
    if (isEnding()) return;
    const usual = Math.round(pollMin + Math.random() * (pollMax - pollMin));
    // A run that only waits for a chunk in flight, perhaps for hours, has a long history already: it polls less and less often.
    const slower = run.handingOver ? Math.min(usual * 1.2 ** pollsAtTheEnd++, OVERDUE_INTERVAL_MS) : 0;
    await condition(isEnding, Math.round(Math.max(usual, slower)));
    const entries = inTurn(run.entries(isFollowed), run.progress.pollFrom);
    if (isEnding() || entries.length === 0) continue;
    const news = await poll(run, entries);
    run.progress.pollFrom = news.notPolled?.[0];
    takeNews(run, news);
    promoteOverdue(run);
    run.handOverWhenLong();
  }
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

/** A poll of a slow service ends before it reaches all tasks: the next one begins with those. */
export function inTurn<Polled extends { index: number }>(entries: Polled[], from = 0): Polled[] {
  const isNext = ({ index }: Polled): boolean => index >= from;
  return [...entries.filter(isNext), ...entries.filter((entry) => !isNext(entry))];
}
