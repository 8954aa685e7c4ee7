/** What is to be reached, and what was not. */
import { type Fairness } from './fairness';
import { type PlainRow } from './plainScript';
import { type Row } from './row';
import { SHAPE_NAMES, type Shape } from './settings';

export interface Measured {
  plain?: PlainRow;
  byHand: Row[];
  segue: Row[];
  manyPolls?: Row;
  fairness?: Fairness;
}

interface Goal {
  words: string;
  measured: number;
  isReached: boolean;
}

/** Of the hand-written rate, by shape and from so many items on. */
const RATES: { shape: Shape; from: number; times: number }[] = [
  { shape: 'each', from: 2_000, times: 20 },
  { shape: 'each', from: 10_000, times: 30 },
  { shape: 'one', from: 500, times: 10 },
];
/** Of the hand-written CPU an item, with a project each. */
const MOST_CPU = 1 / 20;
/** Of the plain script, in every shape. */
const LEAST_OF_PLAIN = 0.4;
const FROM_ITEMS = 2_000;
const MOST_PEAK_MIB = 450;
const MOST_ACTIONS = 0.3;
const MOST_SLOWER = 2;
/** CPU an item may grow by this from 2,000 items on. */
const MOST_GROWTH = 1.2;

export function cpuMs({ workerMs, serverMs }: Row): number {
  return workerMs + serverMs;
}

/** The hand-written row that a row is compared with: its rate and cost hardly depend on the number of items. */
export function byHandOf({ byHand }: Measured, { shape }: Row): Row | undefined {
  return byHand.findLast((row) => row.shape === shape) ?? byHand.findLast((row) => row.shape === 'each');
}

/** Each goal with what was measured, where it was. */
export function goalsOf(measured: Measured): Goal[] {
  const { plain, segue, manyPolls, fairness } = measured;
  const large = segue.filter(({ items }) => items >= FROM_ITEMS);
  const each = large.filter(({ shape }) => shape === 'each');
  const [first, last] = [each[0], each.at(-1)];
  const rates = RATES.flatMap(({ shape, from, times }) => {
    const row = segue.find((one) => one.shape === shape && one.items >= from);
    const byHand = row && byHandOf(measured, row);
    if (!row || !byHand) return [];
    const words = `at least ${times} times the hand-written items a second, ${SHAPE_NAMES[shape]}, ${row.items} items`;
    return [goal(words, row.perSecond / byHand.perSecond, (ratio) => ratio >= times)];
  });
  const byHand = first && byHandOf(measured, first);
  return [
    ...rates,
    byHand &&
      goal(
        `at most 1/${1 / MOST_CPU} of the hand-written CPU an item, a project each`,
        cpuMs(first) / cpuMs(byHand),
        (ratio) => ratio <= MOST_CPU,
      ),
    plain &&
      large.length > 0 &&
      goal(
        `at least ${LEAST_OF_PLAIN} of the plain script's items a second, in every shape`,
        Math.min(...large.map(({ perSecond }) => perSecond)) / plain.perSecond,
        (ratio) => ratio >= LEAST_OF_PLAIN,
      ),
    first &&
      last &&
      first !== last &&
      goal(
        `CPU an item grows at most ${MOST_GROWTH} times from ${first.items} to ${last.items} items`,
        cpuMs(last) / cpuMs(first),
        (growth) => growth <= MOST_GROWTH,
      ),
    segue.length > 0 &&
      goal(
        `worker under ${MOST_PEAK_MIB} MiB`,
        Math.max(...segue.map(({ peakMiB }) => peakMiB)),
        (mib) => mib < MOST_PEAK_MIB,
      ),
    manyPolls &&
      goal(
        `at most ${MOST_ACTIONS} actions an item at 16 polls`,
        manyPolls.actions,
        (actions) => actions <= MOST_ACTIONS,
      ),
    fairness &&
      goal(
        `a single job beside a batch under ${MOST_SLOWER} times as long as alone`,
        fairness.beside.ms / fairness.alone.ms,
        (times) => times < MOST_SLOWER,
      ),
  ].filter((one) => typeof one === 'object');
}

function goal(words: string, measured: number, isReached: (measured: number) => boolean): Goal {
  return { words, measured, isReached: isReached(measured) };
}
