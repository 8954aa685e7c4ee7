/** Which calendars are refused before Temporal reads them, and which times a schedule means on the days when clocks change. */
import { type Calendar, meantMoment } from '../../../src/calendar/zones';
import { type ScheduleOptions, validateSchedule } from '../../../src/runs/schedule/spec';

const problemsOf = (spec: unknown): string[] =>
  validateSchedule('nightly', {
    ...{ spec, timezone: 'UTC' },
    target: { kind: 'batch', spec: { manifest: 'https://example.com/' } },
  } as ScheduleOptions);

test.each(['0 2 * * *', ' 0 2 * JAN sun', '0 2 * * * 2027', '@daily', '61 2 * * *'])(
  'the server reads the cron expression "%s"',
  (cron) => {
    expect(problemsOf({ cron })).toEqual([]);
  },
);

test.each(['@every 1h', 'CRON_TZ=UTC 0 2 * * *', '0 2 * * * # nightly', 5])(
  '"%s", which is more than times, is refused',
  (cron) => {
    expect(problemsOf({ cron })).toEqual([expect.stringMatching(/^cron: .* is not a cron expression/)]);
  },
);

test.each([
  { hour: 2 },
  { hour: [2, 14], minute: 30, dayOfWeek: 'MONDAY' },
  { hour: { start: 8, end: 18, step: 2 }, dayOfMonth: '*', month: ['MAY', { start: 'JULY', end: 'AUGUST' }] },
  { year: 2027, second: 5, comment: 'once' },
])('%j is a calendar', (calendar) => {
  expect(problemsOf({ calendar })).toEqual([]);
});

test.each([
  null,
  'daily',
  { hours: 2 },
  { hour: [] },
  { hour: { start: 5, end: 1 } },
  { hour: { start: 8, end: 24 } },
  { hour: { start: 1, stop: 5 } },
  { dayOfWeek: { start: 'MONDAY', end: 'Friday' } },
  { minute: { start: 0, end: 30, step: 0 } },
])('%j, of which the SDK would ignore a part, is refused', (calendar) => {
  expect(problemsOf({ calendar })).toEqual([expect.stringMatching(/^calendar: .* is not a calendar/)]);
});

const ALL = {
  ...{ second: [{}], minute: [{}], dayOfMonth: [{ start: 1, end: 31, step: 1 }] },
  ...{ month: [{ start: 1, end: 12, step: 1 }], dayOfWeek: [{ end: 6, step: 1 }] },
};
const HALF = { minute: [{ start: 30 }] };
const EVERY_HOUR = [{ end: 23, step: 1 }];
const at = (hour: number, more: Partial<Calendar> = {}): Calendar => ({
  ...ALL,
  hour: [{ start: hour }],
  ...more,
});

describe('on the days when clocks change', () => {
  const meant = (time: string, calendars: Calendar[], zone: string): string =>
    new Date(meantMoment(Date.parse(time), calendars, zone)).toISOString().replace('.000', '');

  test('a time of the clock that the server fires for twice is one firing', () => {
    // East of Greenwich the server repeats the hour before the one that comes twice.
    expect(meant('2027-10-30T23:00:00Z', [at(1)], 'Europe/Berlin')).toBe('2027-10-30T23:00:00Z');
    expect(meant('2027-10-31T00:00:00Z', [at(1)], 'Europe/Berlin')).toBe('2027-10-30T23:00:00Z');
    // The one that does comes once, and stands for the first of both.
    expect(meant('2027-10-31T01:00:00Z', [at(2)], 'Europe/Berlin')).toBe('2027-10-31T00:00:00Z');
    // West of it, the one that does.
    expect(meant('2027-11-07T05:30:00Z', [at(1, HALF)], 'America/New_York')).toBe('2027-11-07T05:30:00Z');
    expect(meant('2027-11-07T06:30:00Z', [at(1, HALF)], 'America/New_York')).toBe('2027-11-07T05:30:00Z');
  });

  test('P1: of several calendars, only those of that day and minute count', () => {
    const weekdays = { dayOfWeek: [{ start: 1, end: 5, step: 1 }] };
    for (const other of [at(2, weekdays), at(2, HALF), at(2, { year: [{ start: 2030 }] })])
      expect(meant('2027-10-31T00:00:00Z', [at(1), other], 'Europe/Berlin')).toBe('2027-10-30T23:00:00Z');
    expect(meant('2027-10-31T00:00:00Z', [at(1), at(2)], 'Europe/Berlin')).toBe('2027-10-31T00:00:00Z');
  });

  test('other times, other days and whatever hour it is stand for themselves', () => {
    expect(meant('2027-11-07T06:30:00Z', [at(0, HALF), at(1, HALF)], 'America/New_York')).toBe(
      '2027-11-07T05:30:00Z',
    );
    expect(meant('2027-11-07T05:30:00Z', [at(0, HALF), at(1, HALF)], 'America/New_York')).toBe(
      '2027-11-07T05:30:00Z',
    );
    for (const [time, calendars, zone] of [
      [
        '2027-11-07T06:30:00Z',
        [{ ...ALL, hour: EVERY_HOUR, minute: [{ end: 59, step: 30 }] }],
        'America/New_York',
      ],
      ['2027-11-08T06:30:00Z', [at(1, HALF)], 'America/New_York'],
      ['2027-10-31T00:00:00Z', [at(0)], 'UTC'],
      ['2027-10-31T00:00:07Z', [at(1)], 'Europe/Berlin'],
    ] as [string, Calendar[], string][])
      expect(meant(time, calendars, zone)).toBe(time);
    expect(meantMoment(Date.parse('2027-11-07T06:30:00Z'), [], 'America/New_York')).toBe(
      Date.parse('2027-11-07T06:30:00Z'),
    );
  });
});
