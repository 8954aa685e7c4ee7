/** How a batch stands: lines for people, and what `run` and `follow` show of it as it goes. */
import { type KeptResults, type MissingResults } from '../../client/batches/results';
import { type BatchResult, type BatchStatus, type ItemCounts } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { type Shown } from '../lib/screen';
import { restCommand, stoppedAdvice, word } from '../lib/advice';

/** One line: how far it is, how fast, and for how long still. */
function progressLine(status: BatchStatus, rate = averageRate(status)): string {
  const { key, stage, items, counts, percent } = status;
  const left = timeLeft(status, rate);
  return `${key}: ${stage}, ${overOf(counts)} of ${items} items over (${percent} %), ${rate.toFixed(1)}/s${left && `, ${left} left`}${troubled(counts)}`;
}

const BAR_WIDTH = 30;

/** The same for a terminal. */
function barLine(status: BatchStatus, rate: number): string {
  const { key, stage, items, counts, percent } = status;
  const done = Math.floor((BAR_WIDTH * percent) / 100);
  const bar = '#'.repeat(done).padEnd(BAR_WIDTH, '.');
  const left = timeLeft(status, rate);
  const where = stage === 'running' ? '' : ` ${stage}`;
  return `${key} [${bar}] ${percent} %${where}  ${overOf(counts)} of ${items}  ${rate.toFixed(1)}/s${left && `  ${left} left`}`;
}

/** What became of items so far; zeros, too, so that it stands still. */
function tallyLine({ counts, concurrency }: BatchStatus): string {
  const { succeeded, failed, held, running, waiting } = counts;
  return `${succeeded} succeeded, ${failed} failed, ${held} held; ${running} at the service, ${concurrency} at most; ${waiting} wait`;
}

function overOf({ succeeded, failed, held, cancelled }: ItemCounts): number {
  return succeeded + failed + held + cancelled;
}

/** Since its start. */
function averageRate({ counts, startedAt }: BatchStatus): number {
  return overOf(counts) / Math.max(1, (Date.now() - Date.parse(startedAt)) / 1_000);
}

/** Empty where nobody can tell. */
function timeLeft({ stage, items, counts }: BatchStatus, rate: number): string {
  const left = items - overOf(counts);
  return stage === 'running' && rate > 0 && left > 0
    ? formatDuration(Math.max(1, Math.round(left / rate)) * 1_000)
    : '';
}

function troubled({ failed, held }: ItemCounts): string {
  return `${failed > 0 ? `, ${failed} failed` : ''}${held > 0 ? `, ${held} held` : ''}`;
}

export function statusLines(status: BatchStatus): string[] {
  const { concurrency, counts } = status;
  return [
    progressLine(status),
    `${counts.running} at the service, ${concurrency} at most; ${counts.waiting} wait`,
    ...standingLines(status),
    `manifest ${status.digest}, started ${status.startedAt}`,
  ];
}

/** What a person may have to know, or do. */
function standingLines(status: BatchStatus): string[] {
  const { key, partitions, paused, trouble, late, incomplete, stopped, stage } = status;
  const isRestAwaited = partitions.handedOver < partitions.total && stage !== 'cancelling';
  return [
    ...(incomplete !== null
      ? [`a part of the manifest is not run: ${incomplete}; what was handed over goes on`]
      : isRestAwaited
        ? [
            `${partitions.handedOver} of ${partitions.total} partitions are handed over; ${restCommand(key)} hands over the rest`,
          ]
        : []),
    ...(paused ? [`paused by ${paused.by}${paused.reason ? `: ${paused.reason}` : ''}`] : []),
    ...(trouble ? [`the service is in trouble: ${trouble}`] : []),
    ...(late
      ? [`${late}; to let others begin beside them: segue batch concurrency ${word(key)} --to N --by NAME`]
      : []),
    ...(stopped ? [`a part of it was stopped: ${stopped.reason}`, ...stoppedAdvice(key, stopped)] : []),
  ];
}

export function resultLines({ counts, digest, startedAt, finishedAt }: BatchResult): string[] {
  const took = formatDuration(Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)));
  const manifest = digest === undefined ? '' : `manifest ${digest}, `;
  return [countsWords(counts), `${manifest}started ${startedAt}, finished ${finishedAt} (${took} later)`];
}

/** `59 succeeded, 1 held` */
export function countsWords(counts: ItemCounts): string {
  const named = Object.entries(counts).filter(([, count]) => count > 0);
  return named.map(([status, count]) => `${count} ${status}`).join(', ');
}

const WHY_MISSING: Record<MissingResults['why'], (isOne: boolean) => string> = {
  notHandedOver: (isOne) => `${isOne ? 'it is' : 'they are'} not handed over`,
  notKept: (isOne) =>
    `${isOne ? 'its' : 'their'} partition was over so long ago that Temporal keeps its results no longer`,
  unknown: (isOne) =>
    `${isOne ? 'it is' : 'they are'} not handed over, or kept no longer; no worker answers for the batch, which knows: start one with \`segue worker\`, then ask again`,
};

/** A line for each reason, however many partitions have it. */
export function missingLines(missing: MissingResults[]): string[] {
  return Object.entries(WHY_MISSING).flatMap(([why, words]) => {
    const parts = missing.filter((part) => part.why === why);
    const [first] = parts;
    if (!first) return [];
    const items = parts.reduce((total, part) => total + part.items, 0);
    const counts = sumOf(parts.flatMap((part) => part.counts ?? []));
    const isOne = items === 1;
    const who = isOne
      ? `1 item is missing here, item ${first.first}`
      : `${items} items are missing here, the first is item ${first.first}`;
    const counted = counts ? `. As the batch counted ${isOne ? 'it' : 'them'}: ${countsWords(counts)}` : '';
    return [`${who}: ${words(isOne)}${counted}`];
  });
}

function sumOf([first, ...others]: ItemCounts[]): ItemCounts | undefined {
  if (!first) return undefined;
  const sum = { ...first };
  const names = Object.keys(sum) as (keyof ItemCounts)[];
  for (const counts of others) for (const name of names) sum[name] += counts[name];
  return sum;
}

/** A script that needs results later knows until when. */
export function keptLine({ retentionMs, until }: KeptResults): string {
  const forLong = `Temporal keeps results for ${formatDuration(retentionMs)} after the end of their partition`;
  return until === null ? forLong : `${forLong}: all of these until ${until}`;
}

/** Lines for who reads along are not more often than this, unless something happens. */
const TELL_EVERY_MS = 10_000;

export function batchShown(clock: () => number = Date.now): Shown<BatchStatus> {
  const pace = new Pace();
  let toldAt = -Infinity;
  return {
    lines: (status) => {
      const rate = pace.note(status, clock());
      return [barLine(status, rate), tallyLine(status), ...standingLines(status)];
    },
    news: (before, status) => {
      const now = clock();
      const rate = pace.note(status, now);
      if (!isEvent(before, status) && now - toldAt < TELL_EVERY_MS) return [];
      toldAt = now;
      return [progressLine(status, rate), ...(isEvent(before, status) ? standingLines(status) : [])];
    },
  };
}

/** What nobody should have to wait for. */
function isEvent(before: BatchStatus | undefined, status: BatchStatus): boolean {
  const { stage, trouble, late, incomplete, stopped } = status;
  return (
    before?.stage !== stage ||
    (before.trouble === null) !== (trouble === null) ||
    !before.late !== !late ||
    before.incomplete !== incomplete ||
    !before.stopped !== !stopped
  );
}

/** Long enough that polls, which end many items at once, even out. */
const LOOK_BACK_MS = 60_000;

/** How fast items come to their end: of late, since a batch that was paused, or waited for the service, is no measure. */
export class Pace {
  readonly #seen: { at: number; over: number }[] = [];

  /** Items a second. */
  note({ counts, startedAt }: Pick<BatchStatus, 'counts' | 'startedAt'>, now: number): number {
    const over = overOf(counts);
    this.#seen.push({ at: now, over });
    while (now - (this.#seen[1]?.at ?? now) >= LOOK_BACK_MS) this.#seen.shift();
    const [first, ...later] = this.#seen;
    const since = first && later.length > 0 ? first : { at: Date.parse(startedAt), over: 0 };
    return (over - since.over) / Math.max(1, (now - since.at) / 1_000);
  }
}
