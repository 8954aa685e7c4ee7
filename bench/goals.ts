/** What is to be reached, and what was not. */
import { type Fairness } from './fairness';
import { type Row } from './row';

export interface Measured {
  byHand?: Row;
  jobs?: Row;
  segue: Row[];
  manyPolls?: Row;
  fairness?: Fairness;
}

interface Goal {
  words: string;
  measured: number;
  isReached: boolean;
}

const LEAST_TIMES_BY_HAND = 30;
/** From so many on: a smaller batch is over before it has as many under way as it may. */
const LEAST_ITEMS = 10_000;
const MOST_CPU_MS = 4;
/** Of one by hand, where that goal was set: on a slower machine, everything takes longer alike. */
const MS_BY_HAND = 133;
const MOST_PEAK_MIB = 450;
const MOST_ACTIONS = 0.3;
const MOST_SLOWER = 2;
/** CPU an item may grow by this from the smallest batch to the largest. */
const MOST_GROWTH = 1.25;

export function cpuMs({ workerMs, serverMs }: Row): number {
  return workerMs + serverMs;
}

/** Each goal with what was measured, where it was. */
export function goalsOf({ byHand, segue, manyPolls, fairness }: Measured): Goal[] {
  const large = segue.filter(({ items }) => items >= LEAST_ITEMS);
  const [first, last] = [segue[0], segue.at(-1)];
  const slowness = byHand ? slownessOf(byHand) : 1;
  return [
    byHand && large.length > 0
      ? goal(
          `at least ${LEAST_TIMES_BY_HAND} times the items a second, from ${LEAST_ITEMS} items on`,
          Math.min(...large.map(({ perSecond }) => perSecond)) / byHand.perSecond,
          (times) => times >= LEAST_TIMES_BY_HAND,
        )
      : undefined,
    segue.length > 0
      ? goal(
          `under ${MOST_CPU_MS} ms of CPU an item, worker and server, ${paceWords(byHand)}`,
          Math.max(...segue.map(cpuMs)) / slowness,
          (ms) => ms < MOST_CPU_MS,
        )
      : undefined,
    first && last && first !== last
      ? goal(
          `CPU an item grows at most ${MOST_GROWTH} times from ${first.items} to ${last.items} items`,
          cpuMs(last) / cpuMs(first),
          (growth) => growth <= MOST_GROWTH,
        )
      : undefined,
    segue.length > 0
      ? goal(
          `worker under ${MOST_PEAK_MIB} MiB`,
          Math.max(...segue.map(({ peakMiB }) => peakMiB)),
          (mib) => mib < MOST_PEAK_MIB,
        )
      : undefined,
    manyPolls
      ? goal(
          `at most ${MOST_ACTIONS} actions an item at 16 polls`,
          manyPolls.actions,
          (actions) => actions <= MOST_ACTIONS,
        )
      : undefined,
    fairness
      ? goal(
          `a single job beside a batch under ${MOST_SLOWER} times as long as alone`,
          fairness.beside.ms / fairness.alone.ms,
          (times) => times < MOST_SLOWER,
        )
      : undefined,
  ].filter((one) => one !== undefined);
}

function slownessOf(byHand: Row): number {
  return Math.max(1, cpuMs(byHand) / MS_BY_HAND);
}

function paceWords(byHand: Row | undefined): string {
  if (!byHand || slownessOf(byHand) === 1) return 'as measured';
  return `where one by hand takes ${MS_BY_HAND} ms (here ${cpuMs(byHand).toFixed(0)})`;
}

function goal(words: string, measured: number, isReached: (measured: number) => boolean): Goal {
  return { words, measured, isReached: isReached(measured) };
}
