/** What is to be reached, and what was not. */
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

const cpuMs = ({ workerMs, serverMs }) => workerMs + serverMs;

/** Each goal with what was measured; undefined where it was not. */
function goalsOf({ byHand, segue, manyPolls, fairness }) {
  const large = segue.filter(({ items }) => items >= LEAST_ITEMS);
  const costs = segue.map(cpuMs);
  const slowness = byHand ? Math.max(1, cpuMs(byHand) / MS_BY_HAND) : 1;
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
          `under ${MOST_CPU_MS} ms of CPU an item, worker and server, ${paceWords(byHand, slowness)}`,
          Math.max(...costs) / slowness,
          (ms) => ms < MOST_CPU_MS,
        )
      : undefined,
    segue.length > 1
      ? goal(
          `CPU an item grows at most ${MOST_GROWTH} times from ${segue[0].items} to ${segue.at(-1).items} items`,
          costs.at(-1) / costs[0],
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

function paceWords(byHand, slowness) {
  if (slowness === 1) return 'as measured';
  return `where one by hand takes ${MS_BY_HAND} ms (here ${cpuMs(byHand).toFixed(0)})`;
}

function goal(words, measured, isReached) {
  return { words, measured, isReached: isReached(measured) };
}

module.exports = { goalsOf, cpuMs };
