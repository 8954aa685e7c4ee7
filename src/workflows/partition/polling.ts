/** Asks after all tasks of a partition, together, until they are over. */
import { ActivityFailure, condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { HEARTBEAT_TIMEOUT_MS, type ItemProgress, type PollActivities, type TasksNews } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { pollRequestId, pollTaskQueue } from '../../contract/ids';
import { MISSING_GRACE_MS } from '../steps/poll';
import { leaveMissing, leaveOverdue } from './leaving';
import {
  endWhenLong,
  entriesWith,
  type Entry,
  entryAt,
  isEnding,
  isOver,
  jobKeyOf,
  type Partition,
  silenceOf,
} from './run';
import { inTurn, nextTurns } from './turns';
import { keepFailure, keepResult } from './writing';

export async function pollItems(run: Partition): Promise<void> {
  const { pollMin, pollMax } = run.settings;
  let pollsAtTheEnd = 0;
  for (;;) {
    await condition(() => isEnding(run) || run.progress.items.some(isFollowed));
    if (isEnding(run)) return;
    const usual = Math.round(pollMin + Math.random() * (pollMax - pollMin));
    const pause = run.handingOver ? slower(usual, pollsAtTheEnd++) : usual;
    await condition(() => isEnding(run), pause);
    const entries = followed(run);
    if (isEnding(run) || entries.length === 0) continue;
    take(run, await askAfter(run, entries));
    letOverdueGo(run);
    endWhenLong(run);
  }
}

const LONGEST_PAUSE_MS = 3_600_000;

/** A history is not endless: one that only waits for a chunk, which somebody may have paused, asks less and less often. */
export function slower(pause: number, times: number): number {
  return Math.max(pause, Math.min(Math.round(pause * (1 + times / 10) ** 2), LONGEST_PAUSE_MS));
}

function followed(run: Partition): Entry[] {
  return inTurn(entriesWith(run, isFollowed), run.progress.turns);
}

/** One whose task is known. */
function isFollowed({ status, taskId }: ItemProgress): boolean {
  return status === 'running' && taskId !== undefined;
}

async function askAfter(run: Partition, entries: Entry[]): Promise<TasksNews> {
  const { pollTasks } = proxyActivities<PollActivities>({
    summary: 'asks after all tasks of this partition, once each',
    taskQueue: pollTaskQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '2m',
    // Where no worker takes polls, items still learn that they are overdue.
    scheduleToCloseTimeout: '5m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    // An error is no news, and the next timer asks again.
    retry: { maximumAttempts: 1 },
  });
  run.progress.polls += 1;
  const tasks = entries.map(({ place, asked: { scope }, known }) => ({
    ...{ item: place, taskId: known.taskId ?? '', scope },
    requestId: pollRequestId(jobKeyOf(run, place), run.progress.polls),
  }));
  try {
    return await pollTasks({ tasks });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { over: [], missing: [], known: [], trouble: error.cause?.message ?? error.message };
  }
}

function take(run: Partition, news: TasksNews): void {
  const { over, missing, known, trouble } = news;
  run.progress.turns = nextTurns(run.progress.turns, news);
  for (const place of known) entryAt(run, place).known.missingSince = undefined;
  for (const place of missing) {
    const entry = entryAt(run, place);
    if (isOver(entry.known)) continue;
    entry.known.missingSince ??= new Date().toISOString();
    if (timeSince(entry.known.missingSince) >= MISSING_GRACE_MS) leaveMissing(run, entry);
  }
  for (const { item, status, info } of over) {
    const entry = entryAt(run, item);
    if (isOver(entry.known)) continue;
    if (status === 'SUCCESS') keepResult(run, entry, info);
    else keepFailure(run, entry, `the service ended its task as FAILURE: ${shortened(info)}`);
  }
  const before = silenceOf(run);
  const { progress } = run;
  const isSilent = over.length + missing.length + known.length === 0;
  const polls = (progress.silence?.polls ?? 0) + 1;
  progress.silence = isSilent && trouble !== null ? { polls, reason: trouble } : null;
  run.hasNews ||= over.length > 0 || (before === null) !== (silenceOf(run) === null);
}

/**
 * They keep nothing else from ending: when only such are left, each goes on as a run of its own; and whatever is left,
 * one that a single job would have been given up for by now, since it may never end.
 */
function letOverdueGo(run: Partition): void {
  const left = entriesWith(run, (known) => !isOver(known));
  const late = left.filter(({ known }) => isLate(run, known));
  const before = run.progress.late;
  run.progress.late = isInTheWay(run, late.length) ? wordsOfLate(run, late.length) : null;
  run.hasNews ||= (before === null) !== (run.progress.late === null);
  const isAllThatIsLeft = late.length === left.length;
  for (const entry of late) if (isAllThatIsLeft || isPastHope(run, entry.known)) leaveOverdue(run, entry);
}

/**
 * Whether nothing begins because of them. They keep their places all the same: a service that is slow would be given
 * more and more, and more than was agreed. Whether others have the places that a partition without any waits for, the
 * batch knows.
 */
function isInTheWay({ progress: { window, items } }: Partition, late: number): boolean {
  const running = items.filter(({ status }) => status === 'running').length;
  const isWaiting = items.some(({ status }) => status === 'waiting');
  const isFull = late > 0 && late >= window.places;
  return isFull && late === running && isWaiting && !window.paused;
}

function wordsOfLate({ settings, input }: Partition, late: number): string {
  return `${late} tasks of partition ${input.n} are not over after ${formatDuration(settings.deadline)}, and others wait for their places`;
}

/** While the service tells of no task at all, those may be over that nobody could be told of. */
function isLate({ settings, progress }: Partition, { taskId, since }: ItemProgress): boolean {
  const patience = progress.silence ? 2 * settings.deadline : settings.deadline;
  return taskId !== undefined && since !== undefined && timeSince(since) >= patience;
}

function isPastHope({ settings }: Partition, { since }: ItemProgress): boolean {
  return since !== undefined && timeSince(since) >= settings.giveUp;
}

function timeSince(time: string): number {
  return Date.now() - Date.parse(time);
}

const LONGEST_WORDS = 500;

function shortened(info: unknown): string {
  const words = JSON.stringify(info);
  return words.length > LONGEST_WORDS ? `${words.slice(0, LONGEST_WORDS)}…` : words;
}
