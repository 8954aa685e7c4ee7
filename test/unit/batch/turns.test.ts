/** Whose turn it is when a partition asks after its tasks. */
import { inTurn } from '../../../src/workflows/partition/poll';

test('P2: tasks that a slow poll did not come to are the first of the next one, so each has its turn', () => {
  const tasks = Array.from({ length: 200 }, (_unused, index) => ({ index }));
  const asked = new Set<number>();
  let from: number | undefined;
  for (let n = 1; n <= 3; n++) {
    const order = inTurn(tasks, from).map(({ index }) => index);
    for (const index of order.slice(0, 70)) asked.add(index);
    from = order[70];
  }
  expect(asked.size).toBe(200);
  expect(inTurn(tasks)).toEqual(tasks);
});
