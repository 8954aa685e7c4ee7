/** A batch as it goes: a bar with rate and time left on a terminal, a line now and then anywhere else. */
import { type BatchStatus } from '../../contract';
import { type Shown } from '../lib/screen';
import { barLine, overOf, progressLine, standingLines, tallyLine } from './format';

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
