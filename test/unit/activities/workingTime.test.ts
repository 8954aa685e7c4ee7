/** When people are at work, in places whose clocks do what they like. */
import { createWorkingHours } from '../../../src/activities/clock';
import { localTime } from '../../../src/calendar/zones';

const workingHours = createWorkingHours();
const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

describe('the first working moment', () => {
  test.each([
    // Winter is UTC+1, summer UTC+2; the clock goes forward on 2026-03-29 and back on 2026-10-25.
    ['in working hours is now', BERLIN, '2026-03-04T11:15:30.250Z', '2026-03-04T11:15:30.250Z'],
    ['at 09:00 sharp is now', BERLIN, '2026-03-04T08:00:00.000Z', '2026-03-04T08:00:00.000Z'],
    ['before 09:00 is that morning', BERLIN, '2026-03-04T02:00:00Z', '2026-03-04T08:00:00.000Z'],
    ['a moment before 09:00 is 09:00', BERLIN, '2026-03-04T07:59:59.999Z', '2026-03-04T08:00:00.000Z'],
    ['a moment before 18:00 is now', BERLIN, '2026-03-04T16:59:59.999Z', '2026-03-04T16:59:59.999Z'],
    ['at 18:00 sharp is tomorrow', BERLIN, '2026-03-04T17:00:00.000Z', '2026-03-05T08:00:00.000Z'],
    ['on Friday evening is Monday', BERLIN, '2026-03-06T17:00:00Z', '2026-03-09T08:00:00.000Z'],
    ['on Saturday is Monday', BERLIN, '2026-03-07T10:00:00Z', '2026-03-09T08:00:00.000Z'],
    ['on Sunday is Monday', BERLIN, '2026-03-08T22:59:59Z', '2026-03-09T08:00:00.000Z'],
    ['on Monday after midnight is Monday', BERLIN, '2026-03-08T23:00:00Z', '2026-03-09T08:00:00.000Z'],
    ['over the change to summer', BERLIN, '2026-03-27T18:00:00Z', '2026-03-30T07:00:00.000Z'],
    ['in the hour that summer takes', BERLIN, '2026-03-29T01:00:00Z', '2026-03-30T07:00:00.000Z'],
    ['over the change to winter', BERLIN, '2026-10-23T16:00:00Z', '2026-10-26T08:00:00.000Z'],
    ['in the hour that comes twice, first', BERLIN, '2026-10-25T00:30:00Z', '2026-10-26T08:00:00.000Z'],
    ['in the hour that comes twice, then', BERLIN, '2026-10-25T01:30:00Z', '2026-10-26T08:00:00.000Z'],
    // UTC-5 and UTC-4; forward on 2026-03-08, back on 2026-11-01.
    ['in New York', NEW_YORK, '2026-03-05T12:00:00Z', '2026-03-05T14:00:00.000Z'],
    ['over the change to summer', NEW_YORK, '2026-03-06T23:00:00Z', '2026-03-09T13:00:00.000Z'],
    ['on the evening before it', NEW_YORK, '2026-03-08T06:59:59Z', '2026-03-09T13:00:00.000Z'],
    ['over the change to winter', NEW_YORK, '2026-10-30T22:00:00Z', '2026-11-02T14:00:00.000Z'],
    ['in the hour that comes twice', NEW_YORK, '2026-11-01T05:30:00Z', '2026-11-02T14:00:00.000Z'],
    // Half and quarter hours.
    ['in Kolkata', 'Asia/Kolkata', '2026-03-04T03:29:00Z', '2026-03-04T03:30:00.000Z'],
    ['in Kolkata at 18:00', 'Asia/Kolkata', '2026-03-06T12:30:00Z', '2026-03-09T03:30:00.000Z'],
    ['in Kathmandu', 'Asia/Kathmandu', '2026-03-04T00:00:00Z', '2026-03-04T03:15:00.000Z'],
    // Half an hour of summer, back on 2026-04-05.
    ['on Lord Howe', 'Australia/Lord_Howe', '2026-04-03T12:00:00Z', '2026-04-05T22:30:00.000Z'],
    // UTC+14: it is Monday there while it is Sunday nearly everywhere.
    ['on Kiritimati', 'Pacific/Kiritimati', '2026-03-08T18:59:00Z', '2026-03-08T19:00:00.000Z'],
    [
      'on Kiritimati on Friday evening',
      'Pacific/Kiritimati',
      '2026-03-06T04:00:00Z',
      '2026-03-08T19:00:00.000Z',
    ],
    // Two hours of summer, forward on 2026-03-29, back on 2026-10-25.
    ['at Troll in winter', 'Antarctica/Troll', '2026-03-27T08:00:00Z', '2026-03-27T09:00:00.000Z'],
    [
      'at Troll over the change to summer',
      'Antarctica/Troll',
      '2026-03-27T18:00:00Z',
      '2026-03-30T07:00:00.000Z',
    ],
    [
      'at Troll over the change to winter',
      'Antarctica/Troll',
      '2026-10-23T16:00:00Z',
      '2026-10-26T09:00:00.000Z',
    ],
    // Friday, 30 December 2011 was left out.
    [
      'in Apia, where a Friday is missing',
      'Pacific/Apia',
      '2011-12-30T04:00:00Z',
      '2012-01-01T19:00:00.000Z',
    ],
    ['by UTC', 'UTC', '2026-03-04T18:00:00Z', '2026-03-05T09:00:00.000Z'],
    ['with an offset in the question', 'UTC', '2026-03-04T20:00:00+02:00', '2026-03-05T09:00:00.000Z'],
    [
      'in a zone that nobody knows is by UTC',
      'Mars/Olympus',
      '2026-03-04T18:00:00Z',
      '2026-03-05T09:00:00.000Z',
    ],
  ])('%s (%s, %s)', async (_case, timezone, at, expected) => {
    expect(await workingHours({ at, timezone })).toMatchObject({ opensAt: expected });
  });

  test('is in working hours and skips none, hour by hour through a year of every kind of clock', async () => {
    const isWork = (moment: number, zone: string): boolean => {
      const { weekday, hour } = localTime(moment, zone);
      return weekday <= 5 && hour >= 9 && hour < 18;
    };
    const QUARTER = 15 * 60_000;
    for (const timezone of [BERLIN, NEW_YORK, 'Antarctica/Troll', 'Australia/Lord_Howe']) {
      const end = Date.parse('2026-11-05T00:00:00Z');
      let next = Infinity;
      // Backwards: the answer is this moment, or the one of the quarter of an hour after it.
      for (let moment = end; moment > Date.parse('2026-10-20T00:00:00Z'); moment -= QUARTER) {
        if (isWork(moment, timezone)) next = moment;
        if (next === Infinity) continue;
        const { opensAt } = await workingHours({ at: new Date(moment).toISOString(), timezone });
        expect({ timezone, moment, found: Date.parse(opensAt) }).toEqual({ timezone, moment, found: next });
      }
    }
  });
});

describe('working hours', () => {
  test.each([
    ['are open until 18:00', BERLIN, '2026-03-04T11:15:30.250Z', null, '2026-03-04T17:00:00.000Z'],
    ['are open at 09:00 sharp', BERLIN, '2026-03-04T08:00:00.000Z', null, '2026-03-04T17:00:00.000Z'],
    [
      'begin tomorrow from 18:00 on',
      BERLIN,
      '2026-03-04T17:00:00.000Z',
      '2026-03-05T08:00:00.000Z',
      '2026-03-05T17:00:00.000Z',
    ],
    [
      'begin on Monday, in summer',
      BERLIN,
      '2026-03-27T20:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
      '2026-03-30T16:00:00.000Z',
    ],
    ['of UTC', 'UTC', '2026-03-04T17:59:59.999Z', null, '2026-03-04T18:00:00.000Z'],
    [
      'are of a day that may be tomorrow in UTC',
      'Pacific/Kiritimati',
      '2026-03-03T19:00:00.000Z',
      null,
      '2026-03-04T04:00:00.000Z',
    ],
  ])('%s (%s, %s)', async (_case, timezone, at, opensAt, closesAt) => {
    const date = closesAt.slice(0, 10);
    expect(await workingHours({ at, timezone })).toEqual({ opensAt: opensAt ?? at, closesAt, date });
  });

  test('are those of the clock on the wall, told by the clock of whoever asks', async () => {
    jest.useFakeTimers({ now: Date.parse('2026-03-04T11:00:00Z') });
    const there = createWorkingHours(() => Date.parse('2026-03-07T08:00:00.000Z'));
    // Two days to Monday.
    const at = '2026-03-04T11:00:00.000Z';
    expect(await there({ at, timezone: BERLIN })).toEqual({
      opensAt: '2026-03-06T11:00:00.000Z',
      closesAt: '2026-03-06T20:00:00.000Z',
      date: '2026-03-09',
    });
    jest.useRealTimers();
  });
});
