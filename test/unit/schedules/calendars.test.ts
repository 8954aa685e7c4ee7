/** Cron expressions and calendars: what is none, and which times it means on the days when clocks change. */
import { readCalendar, readCron } from '../../../src/calendar/calendars';
import { meantMoment } from '../../../src/calendar/zones';

const GOOD = [
  ...['0 2 * * *', '0  2 * * *', '*/15 8-18/2 * * MON-FRI', '0 2 1,15 * *', '0/20 * * * *', '0 2 * * 5-7'],
  ...['0 2 * JAN,march sun', '0 2 * * * 2027', '30 0 2 * * * 2027', '@daily', '@hourly', '@weekly'],
];

const BAD = [
  ...['', '0 2 * *', '61 2 * * *', '0 24 * * *', '0 2 0 * *', '0 2 * 13 *', '0 2 * * 8', '5-1 * * * *'],
  ...['*/0 * * * *', '0 2 L * *', '0 2 ? * *', '0 2 * * MON,', '0 2 * * mo', '0 2 * * * 1999', '0 2 *-5 * *'],
  ...[
    '@every 1h',
    '@fortnightly',
    'CRON_TZ=UTC 0 2 * * *',
    '0 2 * * * # nightly',
    '-1 * * * *',
    '1.5 * * * *',
  ],
];

test.each(GOOD)('"%s" is a cron expression', (cron) => {
  expect(readCron(cron)).toBeDefined();
});

test.each(BAD)('"%s" is none', (cron) => {
  expect(readCron(cron)).toBeUndefined();
});

test.each([
  { hour: 2 },
  { hour: [2, 14], minute: 30, dayOfWeek: 'MONDAY' },
  { hour: { start: 8, end: 18, step: 2 }, dayOfMonth: '*', month: ['MAY', { start: 'JULY', end: 'AUGUST' }] },
  { year: 2027, second: 5, comment: 'once' },
])('%j is a calendar', (calendar) => {
  expect(readCalendar(calendar)).toBeDefined();
});

test.each([
  null,
  [],
  'daily',
  { hour: 24 },
  { hours: 2 },
  { hour: '2' },
  { hour: [] },
  { dayOfWeek: 'Monday' },
  { dayOfWeek: 1 },
  { hour: { start: 5, end: 1 } },
  { hour: { start: 1, stop: 5 } },
  { minute: { start: 0, end: 30, step: 0 } },
  { comment: 1 },
])('%j is none', (calendar) => {
  expect(readCalendar(calendar)).toBeUndefined();
});

describe('on the days when clocks change', () => {
  const meant = (time: string, cron: string, zone: string): string =>
    new Date(meantMoment(Date.parse(time), { cron }, zone)).toISOString().replace('.000', '');

  test('a time of the clock that the server fires for twice is one firing', () => {
    // East of Greenwich the server repeats the hour before the one that comes twice.
    expect(meant('2027-10-30T23:00:00Z', '0 1 * * *', 'Europe/Berlin')).toBe('2027-10-30T23:00:00Z');
    expect(meant('2027-10-31T00:00:00Z', '0 1 * * *', 'Europe/Berlin')).toBe('2027-10-30T23:00:00Z');
    // The one that does comes once, and stands for the first of both.
    expect(meant('2027-10-31T01:00:00Z', '0 2 * * *', 'Europe/Berlin')).toBe('2027-10-31T00:00:00Z');
    // West of it, the one that does.
    expect(meant('2027-11-07T05:30:00Z', '30 1 * * *', 'America/New_York')).toBe('2027-11-07T05:30:00Z');
    expect(meant('2027-11-07T06:30:00Z', '30 1 * * *', 'America/New_York')).toBe('2027-11-07T05:30:00Z');
  });

  test('other times, other days and whatever hour it is stand for themselves', () => {
    expect(meant('2027-11-07T06:30:00Z', '30 0,1 * * *', 'America/New_York')).toBe('2027-11-07T05:30:00Z');
    expect(meant('2027-11-07T05:30:00Z', '30 0,1 * * *', 'America/New_York')).toBe('2027-11-07T05:30:00Z');
    for (const [time, cron, zone] of [
      ['2027-11-07T06:30:00Z', '*/30 * * * *', 'America/New_York'],
      ['2027-11-08T06:30:00Z', '30 1 * * *', 'America/New_York'],
      ['2027-10-31T00:00:00Z', '0 0 * * *', 'UTC'],
      ['2027-10-31T00:00:07Z', '0 1 * * *', 'Europe/Berlin'],
    ] as const)
      expect(meant(time, cron, zone)).toBe(time);
    expect(meantMoment(Date.parse('2027-11-07T06:30:00Z'), { every: '1h' }, 'America/New_York')).toBe(
      Date.parse('2027-11-07T06:30:00Z'),
    );
  });
});
