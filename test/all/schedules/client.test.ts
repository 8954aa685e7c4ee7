/** `segue.schedules`, on a Temporal server that has no other schedules. */
import {
  DecisionRefused,
  InvalidInput,
  NoSuchSchedule,
  NoTimezone,
  ScheduleExists,
} from '../../../src/errors';
import { type ScheduleOptions } from '../../../src/runs/schedule/spec';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import { NEVER_BY_ITSELF, useSchedules } from '../../support/builders/schedules';
import { segueClient, startOwnDevServer, testConfig } from '../../support/servers/temporal';

const { temporal, config } = useCommandLine({ openTemporal: startOwnDevServer });
const client = () => segueClient(temporal, config);
const { newName } = useSchedules(client);

const LOOK: ScheduleOptions['target'] = {
  kind: 'outlook',
  spec: { project: { resourcetype: 'campaign', id: '7' }, boards: ['launch-board'] },
};
const UNUSED = { spec: NEVER_BY_ITSELF, timezone: 'UTC', target: LOOK };

test('the same schedule twice is left as it is, another one under its name is refused', async () => {
  const { schedules } = client();
  const name = newName();
  expect(await schedules.create(name, UNUSED)).toEqual({
    ...{ name, scheduleId: `segue/${name}`, existing: false, timezone: 'UTC', remarks: [] },
  });
  const keyed = { ...LOOK, spec: { ...LOOK.spec, key: 'not-used' } } as typeof LOOK;
  const same = { ...UNUSED, target: keyed, overlap: 'skip', catchup: '1h', note: 'again' } as const;
  expect(await schedules.create(name, same)).toMatchObject({ existing: true, timezone: 'UTC' });
  for (const other of [
    { timezone: 'Asia/Tokyo' },
    { overlap: 'allow-all' as const },
    { spec: { every: '1h' } },
  ])
    await expect(schedules.create(name, { ...UNUSED, ...other })).rejects.toThrow(ScheduleExists);
});

test('everything that is wrong is told at once, and nothing is made', async () => {
  const { schedules } = client();
  const wrong = schedules.create('no blanks', {
    spec: { cron: '@every 1h' },
    timezone: 'Mars/Base',
    overlap: 'cancel-other' as never,
    catchup: '5s',
    note: '',
    target: { kind: 'outlook', spec: { project: { resourcetype: 'campaign', id: '7' }, weeks: 99 } },
  });
  await expect(wrong).rejects.toThrow(InvalidInput);
  await expect(wrong).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/^name: /),
      expect.stringMatching(/^overlap: must be skip,/),
      expect.stringMatching(/^note: /),
      expect.stringMatching(/^timezone: must be the name of a time zone/),
      expect.stringMatching(/^catchup: must be .*, from 10s to/),
      expect.stringMatching(/^cron: "@every 1h" is not a cron expression/),
      expect.stringMatching(/^weeks: /),
      expect.stringMatching(/nothing to look at/),
    ],
  });
  for (const spec of [
    {},
    { every: '90' },
    { every: '1500ms' },
    { calendar: [] },
    { cron: '0 2 * * *', every: '1h' },
  ])
    await expect(schedules.create('a', { ...UNUSED, spec: spec as never })).rejects.toThrow(InvalidInput);
  for (const target of [undefined, { kind: 'media', spec: {} }, { kind: 'campaign', spec: { key: 'k' } }])
    await expect(schedules.create('a', { ...UNUSED, target: target as never })).rejects.toThrow(InvalidInput);
  const overlap = 'both' as never;
  await expect(
    schedules.backfill('a/b', '2026-01-01', '2999-01-01T00:00:00Z', { overlap }),
  ).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/^name: /),
      expect.stringMatching(/^from: /),
      expect.stringMatching(/^overlap: /),
      'to: is in the future, and will fire by itself',
    ],
  });
  const [name, note] = [expect.stringMatching(/^name: /), expect.stringMatching(/^note: /)];
  await expect(schedules.trigger('a/b', { overlap })).rejects.toMatchObject({
    problems: [name, expect.stringMatching(/^overlap: /)],
  });
  await expect(schedules.pause('a/b', ' ')).rejects.toMatchObject({ problems: [name, note] });
  await expect(schedules.resume('a/b', ' ')).rejects.toMatchObject({ problems: [name, note] });
  await expect(schedules.show('a')).rejects.toThrow(NoSuchSchedule);
});

test.each([
  [{ cron: '61 2 * * *' }, 'cron: Minute is not in range [0-59]'],
  [{ cron: '0 2 * *' }, 'cron: CronString does not have 5-7 fields'],
  [{ calendar: { hour: 24 } }, /^calendar: Invalid CalendarSpec component for field hour: '24'/],
  [{ calendar: { year: 5 } }, /^calendar: .*Year Start is not in range/],
])('times that only Temporal can refuse are an input error: %j', async (spec, problem) => {
  const refused = client().schedules.create(newName(), { ...UNUSED, spec });
  await expect(refused).rejects.toThrow(InvalidInput);
  const told = typeof problem === 'string' ? problem : expect.stringMatching(problem);
  await expect(refused).rejects.toMatchObject({ problems: [told] });
});

test('a schedule is shown, listed, paused, resumed and deleted', async () => {
  const { schedules } = client();
  const name = newName();
  const calendar = [{ hour: 9, dayOfWeek: 'MONDAY' as const }];
  await schedules.create(name, {
    ...UNUSED,
    spec: { calendar },
    overlap: 'buffer-one',
    catchup: '2h',
    note: 'mine',
  });
  expect(await schedules.show(name)).toMatchObject({
    ...{ name, kind: 'outlook', spec: { calendar }, timezone: 'UTC', paused: false, note: 'mine' },
    ...{ overlap: 'buffer-one', catchup: '2h', target: LOOK, fired: 0, firings: [] },
    skipped: { overlap: 0, catchup: 0, buffer: 0 },
  });
  const { next } = await schedules.show(name);
  expect(next).toHaveLength(5);
  for (const time of next) expect([new Date(time).getUTCDay(), time.slice(11)]).toEqual([1, '09:00:00.000Z']);
  await expect(schedules.resume(name)).rejects.toThrow(DecisionRefused);
  // The note of its creation stays.
  expect(await schedules.show(name)).toMatchObject({ paused: false, note: 'mine' });
  await schedules.pause(name, 'holidays');
  const listed = await eventually('the list to show it paused', async () => {
    for await (const entry of schedules.list()) if (entry.name === name && entry.paused) return entry;
    return undefined;
  });
  expect(listed).toMatchObject({ kind: 'outlook', note: 'holidays', next: next[0], last: null });
  await expect(schedules.pause(name, ' ')).rejects.toThrow(InvalidInput);
  await schedules.resume(name);
  expect(await schedules.show(name)).toMatchObject({ paused: false, note: 'resumed' });
  await schedules.delete(name);
  await expect(schedules.delete(name)).rejects.toThrow(NoSuchSchedule);
  await expect(schedules.trigger(name)).rejects.toThrow(NoSuchSchedule);
});

test('overlap and catch-up are what the server was given, and are shown as it has them', async () => {
  const { schedules } = client();
  const name = newName();
  await schedules.create(name, UNUSED);
  const schedule = temporal.client.schedule.getHandle(`segue/${name}`);
  expect((await schedule.describe()).policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 3_600_000 });
  expect(await schedules.show(name)).toMatchObject({ overlap: 'skip', catchup: '1h' });
  // As somebody may in the Temporal UI.
  for (const [overlap, shown] of [
    ['ALLOW_ALL', 'allow-all'],
    ['TERMINATE_OTHER', 'terminate-other'],
  ] as const) {
    await schedule.update((before) => ({ ...before, policies: { overlap, catchupWindow: '90m' } }));
    expect(await schedules.show(name)).toMatchObject({ overlap: shown, catchup: '90m', kind: 'outlook' });
  }
});

test("without a zone it is the workspace's, which a worker knows", async () => {
  const { schedules } = client();
  const spec = { cron: '0 3 * 1 * 2099' };
  expect(await schedules.create(newName(), { spec, target: LOOK })).toMatchObject({
    timezone: 'Europe/Berlin',
  });
  const alone = segueClient(temporal, testConfig());
  await expect(alone.schedules.create(newName(), { spec, target: LOOK })).rejects.toThrow(NoTimezone);
  const nobody = { ...LOOK, spec: { ...LOOK.spec, scope: { organization: '99' } } } as typeof LOOK;
  await expect(schedules.create(newName(), { spec, target: nobody })).rejects.toThrow(NoTimezone);
});

test.each([
  // The clock shows 03:30 on each of these days, and is an hour ahead from the second on.
  ['30 3 27-29 3 * 2027', ['2027-03-27T02:30', '2027-03-28T01:30', '2027-03-29T01:30']],
  ['0 4 30,31 10 * 2027', ['2027-10-30T02:00', '2027-10-31T03:00']],
  // There is no 02:30 on the second.
  ['30 2 27-29 3 * 2027', ['2027-03-27T01:30', '2027-03-29T00:30']],
])('"%s" in Berlin fires by the clock on the wall when that is changed', async (cron, times) => {
  const { schedules } = client();
  const name = newName();
  await schedules.create(name, { spec: { cron }, timezone: 'Europe/Berlin', target: LOOK });
  expect((await schedules.show(name)).next).toEqual(times.map((time) => `${time}:00.000Z`));
});
