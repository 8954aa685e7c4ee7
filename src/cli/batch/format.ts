/** The status of a batch as lines for people, and its progress for `run` and `follow`. */
import { type MissingResults } from '../../client/batches/results';
import { type BatchResult, type BatchStatus, type ItemCounts } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { counted, lines } from '../lib/format';
import { type Shown } from '../lib/screen';
import { stoppedAdvice, shellArgument } from '../lib/advice';

function progressLine({ key, stage, items, counts, percent, startedAt }: BatchStatus, now: number): string {
  const { succeeded, unsaved, failed, held, cancelled } = counts;
  const over = succeeded + unsaved + failed + held + cancelled;
  const rate = over / Math.max(1, (now - Date.parse(startedAt)) / 1_000);
  const secondsLeft = Math.max(1, Math.round((items - over) / rate));
  return lines(
    `${key}: ${stage}`,
    `${over} of ${counted(items, 'item')} over (${percent} %)`,
    `${rate.toFixed(1)}/s`,
    stage === 'running' && over > 0 && over < items && `${formatDuration(secondsLeft * 1_000)} left`,
    unsaved > 0 && `${unsaved} unsaved`,
    failed > 0 && `${failed} failed`,
    held > 0 && `${held} held`,
  ).join(', ');
}

function progressLines(status: BatchStatus, now: number): string[] {
  const { counts, concurrency } = status;
  const slots = `${counts.running} running (limit ${concurrency}), ${counts.waiting} waiting`;
  return [progressLine(status, now), slots, ...standingLines(status, now)];
}

export function statusLines(status: BatchStatus): string[] {
  return [...progressLines(status, Date.now()), `manifest ${status.digest}, started ${status.startedAt}`];
}

/** In its first moments a batch does not know its partitions yet. */
const HAND_OVER_MS = 60_000;

function standingLines(status: BatchStatus, now: number): string[] {
  const { key, partitions, paused, trouble, late, incomplete, stopped, stage, startedAt } = status;
  const { handedOver, total } = partitions;
  const isLate = handedOver < total && now - Date.parse(startedAt) > HAND_OVER_MS;
  const isRestAwaited = incomplete === null && isLate && stage !== 'cancelling';
  return lines(
    incomplete !== null && `a part of the manifest is not run: ${incomplete}; what was handed over continues`,
    isRestAwaited &&
      `${handedOver} of ${counted(total, 'partition')} handed over; the same \`start\`, \`run\` or \`retry\` hands over the rest`,
    paused && `paused by ${paused.by}${paused.reason ? `: ${paused.reason}` : ''}`,
    trouble && `the service is in trouble: ${trouble}`,
    late &&
      `${late}; to let others start beside them: segue batch concurrency ${shellArgument(key)} --to N --by NAME`,
    stopped && [`a part of it was stopped: ${stopped.reason}`, ...stoppedAdvice(key, stopped)],
  );
}

export function resultLines({ counts, digest, startedAt, finishedAt }: BatchResult): string[] {
  const took = formatDuration(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)));
  const times = `started ${startedAt}, finished ${finishedAt} (${took} later)`;
  return [countsWords(counts), `manifest ${digest}, ${times}`];
}

/** `59 succeeded, 1 held` */
export function countsWords(counts: ItemCounts): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0);
  return named.map(([status, count]) => `${count} ${status}`).join(', ');
}

export function missingLines(missing: MissingResults[]): string[] {
  const [first] = missing;
  if (!first) return [];
  const items = missing.reduce((total, part) => total + part.items, 0);
  return [
    `Missing here: ${counted(items, 'item')}, from item ${first.first} on: their partition is not handed over yet, or Temporal no longer keeps it`,
  ];
}

/** Without a terminal, progress is printed this often, and at each event. */
const TELL_EVERY_MS = 10_000;
const BAR_WIDTH = 30;

export function batchShown(clock: () => number = Date.now): Shown<BatchStatus> {
  let toldAt = -Infinity;
  return {
    lines: (status) => {
      const done = '#'.repeat(Math.floor((BAR_WIDTH * status.percent) / 100));
      return [`[${done.padEnd(BAR_WIDTH, '.')}]`, ...progressLines(status, clock())];
    },
    news: (before, status) => {
      const now = clock();
      if (!isEvent(before, status) && now - toldAt < TELL_EVERY_MS) return [];
      toldAt = now;
      return [progressLine(status, now), ...(isEvent(before, status) ? standingLines(status, now) : [])];
    },
  };
}

function isEvent(before: BatchStatus | undefined, status: BatchStatus): boolean {
  const newsOf = ({ stage, trouble, late, incomplete, stopped }: BatchStatus): string =>
    JSON.stringify([stage, !trouble, !late, incomplete, !stopped]);
  return !before || newsOf(before) !== newsOf(status);
}
