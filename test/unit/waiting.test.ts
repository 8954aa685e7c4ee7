import { lookIntervals } from '../../src/client/run';

function take(count: number, random: () => number): number[] {
  const intervals = lookIntervals(random);
  return Array.from({ length: count }, () => intervals.next().value);
}

test('whoever waits looks soon at first, then less and less often, and every 10 s at last', () => {
  const intervals = take(12, () => 0.5);
  expect(intervals.slice(0, 2)).toEqual([1_000, 1_300]);
  expect(intervals).toEqual([...intervals].sort((a, b) => a - b));
  expect(intervals.at(-1)).toBe(10_000);
});

test('those who began to wait together do not look together', () => {
  expect(take(1, () => 0)).toEqual([500]);
  expect(take(1, () => 0.9)).toEqual([1_400]);
});
