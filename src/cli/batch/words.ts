/** How a batch stands, in words. */
import { type LeftItems } from '../../client/batches/retry';
import { type KeptResults } from '../../runs/batch/retention';
import { type MissingResults } from '../../client/batches/results';
import { type BatchResult, type BatchStatus, type ItemCounts, type StoppedItems } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { repeatedKey } from '../../contract/ids';
import { word } from '../commandLine';

/** One line: how far it is, how fast, and for how long still. */
export function progressLine(status: BatchStatus, rate = averageRate(status)): string {
  const { key, stage, items, counts, percent } = status;
  const left = timeLeft(status, rate);
  return `${key}: ${stage}, ${overOf(counts)} of ${items} items over (${percent} %), ${rate.toFixed(1)}/s${left && `, ${left} left`}${troubled(counts)}`;
}

const BAR_WIDTH = 30;

/** The same for a terminal. */
export function barLine(status: BatchStatus, rate: number): string {
  const { key, stage, items, counts, percent } = status;
  const done = Math.floor((BAR_WIDTH * percent) / 100);
  const bar = '#'.repeat(done).padEnd(BAR_WIDTH, '.');
  const left = timeLeft(status, rate);
  const where = stage === 'running' ? '' : ` ${stage}`;
  return `${key} [${bar}] ${percent} %${where}  ${overOf(counts)} of ${items}  ${rate.toFixed(1)}/s${left && `  ${left} left`}`;
}

/** What became of items so far; zeros, too, so that it stands still. */
export function tallyLine({ counts, concurrency }: BatchStatus): string {
  const { succeeded, failed, held, running, waiting } = counts;
  return `${succeeded} succeeded, ${failed} failed, ${held} held; ${running} at the service, ${concurrency} at most; ${waiting} wait`;
}

export function overOf({ succeeded, failed, held, cancelled }: ItemCounts): number {
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
export function standingLines(status: BatchStatus): string[] {
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

/** A key of a retry is none that `start` takes. */
function restCommand(key: string): string {
  const repeated = repeatedKey(key);
  return repeated === undefined
    ? '`segue batch start` with the same manifest and key'
    : `\`segue batch retry ${word(repeated)}\``;
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

/** What a person can do now. */
export function adviceOnBatch({
  key,
  counts,
  stopped,
}: Pick<BatchResult, 'key' | 'counts' | 'stopped'>): string[] {
  return [
    ...(counts.failed > 0
      ? [
          `What failed, and why: segue batch results ${word(key)} --status failed`,
          `To run that again: segue batch retry ${word(key)}`,
        ]
      : []),
    ...(counts.held > (stopped?.unfollowed ?? 0)
      ? ['Held until a person decides. What to do: segue held']
      : []),
    ...(stopped ? stoppedAdvice(key, stopped) : []),
  ];
}

function stoppedAdvice(key: string, { unfollowed, undone }: StoppedItems): string[] {
  const results = `segue batch results ${word(key)}`;
  return [
    ...(unfollowed > 0
      ? [
          `At the service, and nobody asks after them: ${unfollowed}. Their tasks: ${results} --status running. A manifest of their lines, each with its taskId, started with another key follows them; one without a taskId may have been accepted: look for it at the service first`,
        ]
      : []),
    ...(undone > 0
      ? [
          `Not done: ${undone}, those that are waiting or cancelled in ${results}. A manifest of their lines, with the taskId where there is one, started with another key does them`,
        ]
      : []),
  ];
}

/** What is not run again with the failed items, and why. */
export function leftLines(key: string, { held, lost, cancelled }: LeftItems): string[] {
  const results = `segue batch results ${word(key)}`;
  return [
    ...(held > 0
      ? [
          `Not run again: ${held} held. They are runs of their own, and the service may have them or still work on them; ` +
            `what to do: segue held, and for one that has failed since: segue retry ID (its workflowId in ${results} --status failed)`,
        ]
      : []),
    ...(lost > 0
      ? [
          `Not run again: ${lost} whose partition was stopped. The service may still work on their tasks: ${results} --status running`,
        ]
      : []),
    ...(cancelled > 0 ? [`Not run again: ${cancelled} cancelled. They did not fail`] : []),
  ];
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
