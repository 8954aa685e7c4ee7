/** Whose turn it is when a partition asks after its tasks. */
import { type TasksNews } from '../../../src/contract';
import { inTurn, takeTurns } from '../../../src/workflows/partition/poll';

const AT_ONCE = 20;

/** One poll of so many tasks: it gives up when as many as are asked after at once give no answer. */
function poll(order: number[], isSilent: (index: number) => boolean): TasksNews & { known: number[] } {
  const lastAsked = order.filter(isSilent)[AT_ONCE - 1];
  const asked = lastAsked === undefined ? order : order.slice(0, order.indexOf(lastAsked) + 1);
  return {
    ...{ over: [], missing: [], trouble: null },
    known: asked.filter((index) => !isSilent(index)),
    unanswered: asked.filter(isSilent),
    notPolled: order.slice(asked.length),
  };
}

const tasks = (count: number) => Array.from({ length: count }, (_unused, index) => ({ index, known: {} }));
const indexes = (entries: { index: number }[]): number[] => entries.map(({ index }) => index);

test('P2: after one poll, tasks that give no answer are behind all that do; each of them is asked after in its turn', () => {
  const all = tasks(200);
  const isSilent = (index: number): boolean => index < 50;
  const asked = new Set<number>();
  for (let n = 1; n <= 11; n++) {
    const news = poll(indexes(inTurn(all)), isSilent);
    takeTurns(all, news, n);
    // Those of whom nothing was learned yet may be asked before others.
    if (n > 3) expect(news.known).toHaveLength(150);
    for (const index of news.unanswered ?? []) if (n > 1) asked.add(index);
  }
  expect(asked.size).toBe(50);
});

test('P2: tasks that a slow poll did not come to are the first of the next one', () => {
  const all = tasks(200);
  const asked = new Set<number>();
  for (let n = 1; n <= 4; n++) {
    const order = indexes(inTurn(all));
    takeTurns(all, { notPolled: order.slice(70) }, n);
    for (const index of order.slice(0, 70)) asked.add(index);
  }
  expect(asked.size).toBe(200);
});

test('what answers again is among the others again, and they are in the order of the manifest', () => {
  const three = tasks(3);
  takeTurns(three, { unanswered: [0] }, 1);
  expect(indexes(inTurn(three))).toEqual([1, 2, 0]);
  takeTurns(three, {}, 2);
  expect(indexes(inTurn(three))).toEqual([0, 1, 2]);
});
