import { waitInterval } from '../../src/client/run';

test('a caller that waits tries soon at first, then less and less often, and about every 10 s in the end', () => {
  const intervals = Array.from({ length: 12 }, (_, tries) => waitInterval(tries, () => 0.5));
  expect(intervals.slice(0, 2)).toEqual([1_000, 1_300]);
  expect(intervals).toEqual([...intervals].sort((a, b) => a - b));
  expect(intervals.at(-1)).toBe(10_000);
});

test('callers that began to wait together do not look together', () => {
  expect(waitInterval(0, () => 0)).toBe(500);
  expect(waitInterval(0, () => 0.9)).toBe(1_400);
});
