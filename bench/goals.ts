/** The goals of the benchmark, and whether they were reached. */
import { type Fairness } from './fairness';
import { type PlainScript } from './plainScript';
import { type Row } from './row';
import { type Shape, SHAPES } from './settings';

export interface Measured {
  plain: PlainScript[];
  byHand: Row[];
  segue: Row[];
  /** Single jobs, and a batch that is started by the command: no goal is about their rate. */
  others: Row[];
  manyPolls?: Row;
  fairness?: Fairness;
}

interface Goal {
  words: string;
  measured: number;
  isReached: boolean;
}

/** Factors over the rate of the hand-written workflow. */
const LEAST_TIMES_BY_HAND: { shape: Shape; items: number; times: number }[] = [
  { shape: 'each', items: 2_000, times: 20 },
  { shape: 'each', items: 10_000, times: 30 },
  { shape: 'one', items: 500, times: 10 },
];
/** The batch size for the comparisons of CPU and of the plain script. */
const COMPARED_ITEMS = 2_000;
/** As a share of the hand-written CPU per item, with a project for each item. */
const MOST_CPU = 1 / 20;
/** As a share of the plain script's rate, in every shape. It is also 1.5 times the rate of Restate (0.27). */
const LEAST_OF_PLAIN = 0.4;
/** By which factor the CPU per item may grow from the smallest batch to the largest. */
const MOST_GROWTH = 1.2;
const MOST_PEAK_MIB = 450;
const MOST_ACTIONS = 0.3;
const MOST_SLOWER = 2;

export function cpuMs({ workerMs, serverMs }: Row): number {
  return workerMs + serverMs;
}

/** The hand-written row to compare a row with: the same size, or the next smaller one. */
export function byHandOf({ byHand }: Measured, { shape, items, polls }: Row): Row | undefined {
  const rows = byHand.filter((row) => row.shape === shape && row.polls === polls);
  return rows.findLast((row) => row.items <= items) ?? rows[0];
}

export function plainOf({ plain }: Measured, { items, polls }: Row): PlainScript | undefined {
  const scripts = plain.filter((script) => script.polls === polls);
  return scripts.findLast((script) => script.items <= items) ?? scripts[0];
}

/** Each goal with its measured value; goals that were not measured are left out. */
export function goalsOf(measured: Measured): Goal[] {
  const { byHand, segue, others, manyPolls, fairness } = measured;
  const each = segue.filter(({ shape }) => shape === 'each');
  const [first, last] = [each[0], each.at(-1)];
  const rows = [...byHand, ...segue, ...others, manyPolls].filter((row) => row !== undefined);
  const goals: Goal[] = [];
  const add = (words: string, value: number, isReached: boolean) =>
    goals.push({ words, measured: value, isReached });

  for (const { shape, items, times } of LEAST_TIMES_BY_HAND) {
    const row = segue.find((one) => one.shape === shape && one.items === items);
    const hand = row && byHandOf(measured, row);
    if (!row || !hand) continue;
    const ratio = row.perSecond / hand.perSecond;
    add(`at least ${times} times the hand-written items/s, ${shapeWords(row)}`, ratio, ratio >= times);
  }
  for (const row of segue.filter(({ items }) => items === COMPARED_ITEMS)) {
    const hand = byHandOf(measured, row);
    if (hand && row.shape === 'each') {
      const ratio = cpuMs(row) / cpuMs(hand);
      add(`at most 1/20 of the hand-written CPU an item, ${shapeWords(row)}`, ratio, ratio <= MOST_CPU);
    }
    const plain = plainOf(measured, row);
    if (plain) {
      const ratio = row.perSecond / plain.perSecond;
      add(
        `at least ${LEAST_OF_PLAIN} of the plain script's items/s, ${shapeWords(row)}`,
        ratio,
        ratio >= LEAST_OF_PLAIN,
      );
    }
  }
  if (first && last && first !== last) {
    const growth = cpuMs(last) / cpuMs(first);
    add(
      `CPU an item grows at most ${MOST_GROWTH} times from ${first.items} to ${last.items} items, a project each`,
      growth,
      growth <= MOST_GROWTH,
    );
  }
  if (segue.length > 0) {
    const peak = Math.max(...segue.map(({ peakMiB }) => peakMiB));
    add(`worker under ${MOST_PEAK_MIB} MiB`, peak, peak < MOST_PEAK_MIB);
  }
  if (rows.length > 0) {
    const wrong = rows.filter(({ errors }) => errors.length > 0).length;
    add('no row lost an item, or submitted or notified one twice', wrong, wrong === 0);
  }
  if (manyPolls) {
    const { actions } = manyPolls;
    add(`at most ${MOST_ACTIONS} actions an item at 16 polls, one project`, actions, actions <= MOST_ACTIONS);
  }
  if (fairness) {
    const slower = fairness.beside.ms / fairness.alone.ms;
    add(
      `a single job beside a batch under ${MOST_SLOWER} times as long as alone`,
      slower,
      slower < MOST_SLOWER,
    );
  }
  return goals;
}

function shapeWords({ shape, items }: Row): string {
  return `${SHAPES[shape].name}, ${items} items`;
}
