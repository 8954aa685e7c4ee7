import { formatDuration, parseDuration, toDuration } from '../../src/contract/durations';

describe('durations', () => {
  test.each([
    ['50ms', 50],
    ['15s', 15_000],
    ['1.5h', 5_400_000],
    ['10m', 600_000],
    ['7d', 604_800_000],
    ['0s', 0],
  ])('%s is read', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['15', '', 's', '-1s', '1 s', '1S', '1h30m', '1e3s', 'Infinitys', ' 1s', '1w'])(
    '%j is refused',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test.each([
    [0, '0ms'],
    [999, '999ms'],
    [1_500, '1.5s'],
    [60_000, '1m'],
    [65_000, '1m 5s'],
    [3_599_999, '59m 59s'],
    [3_900_000, '1h 5m'],
    [90_000_000, '1d 1h'],
  ])('%d ms is shown as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test.each([
    [0, '0ms'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [5_400_000, '90m'],
    [3_600_000, '1h'],
    [604_800_000, '7d'],
  ])('%d ms is written as %s, and read again as the same', (ms, text) => {
    expect(toDuration(ms)).toBe(text);
    expect(parseDuration(text)).toBe(ms);
  });
});
