import { extendRound } from '../../../src/workflows/campaign/approval';

const DAY_MS = 86_400_000;
const day = (n: number): string => new Date(n * DAY_MS).toISOString();
const askedOnDay3 = { round: 1, askedAt: day(3), expiresAt: day(10), reminders: 0, nextReminderAt: day(4) };

beforeEach(() => jest.useFakeTimers({ now: 6 * DAY_MS }));
afterEach(() => jest.useRealTimers());

test.each<[string, number, number]>([
  ['during the question gives its whole time back', 5, 1],
  ['from before the question gives back what it took of it', 1, 3],
])('a pause %s', (_name, since, days) => {
  const round = { ...askedOnDay3 };
  extendRound(round, { by: 'Olga', reason: '', since: day(since) });
  expect(round).toMatchObject({ expiresAt: day(10 + days), nextReminderAt: day(4 + days) });
});
