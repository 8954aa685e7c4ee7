/** Whose turn it is when a partition asks after its tasks. */
import { type TasksNews } from '../../../src/contract';
import { inTurn, nextTurns } from '../../../src/workflows/partition/poll';

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

const all = Array.from({ length: 200 }, (_unused, index) => ({ index }));
const indexes = (entries: { index: number }[]): number[] => entries.map(({ index }) => index);

test('P2: after one poll, tasks that give no answer are behind all that do; each of them is asked after in its turn', () => {
  const isSilent = (index: number): boolean => index < 50;
  let turns = nextTurns(undefined, poll(indexes(inTurn(all)), isSilent));
  const asked = new Set<number>();
  for (let n = 0; n < 10; n++) {
    const news = poll(indexes(inTurn(all, turns)), isSilent);
    turns = nextTurns(turns, news);
    // Those of whom nothing was learned yet may be asked before others.
    if (n >= 2) expect(news.known).toHaveLength(150);
    for (const index of news.unanswered ?? []) asked.add(index);
  }
  expect(asked.size).toBe(50);
});

test('P2: tasks that a slow poll did not come to are the first of the next one', () => {
  let turns;
  const asked = new Set<number>();
  for (let n = 0; n < 4; n++) {
    const order = indexes(inTurn(all, turns));
    const [known, notPolled] = [order.slice(0, 70), order.slice(70)];
    turns = nextTurns(turns, { over: [], missing: [], trouble: null, unanswered: [], known, notPolled });
    for (const index of known) asked.add(index);
  }
  expect(asked.size).toBe(200);
});

test('what answers again is among the others again, and they are in the order of the manifest', () => {
  const silent = { over: [], missing: [], known: [1, 2], trouble: null, unanswered: [0] };
  const turns = nextTurns(undefined, silent);
  const three = all.slice(0, 3);
  expect(indexes(inTurn(three, turns))).toEqual([1, 2, 0]);
  expect(indexes(inTurn(three, nextTurns(turns, { ...silent, known: [0, 1, 2], unanswered: [] })))).toEqual([
    0, 1, 2,
  ]);
});
