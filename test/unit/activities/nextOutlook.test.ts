/** What an outlook becomes from look to look. */
import { type OutlookReading, nextOutlook } from '../../../src/activities/lib/nextOutlook';
import { previousOutlook } from '../../../src/activities/outlook';
import { emptyTally } from '../../../src/activities/lib/survey';
import { type Outlook } from '../../../src/contract';

const CLOCK = { timezone: 'Europe/Berlin', startOfWeek: 1, remarks: [] };
const DRAFTS = { accounts: ['1'] };

interface Seen {
  drafts?: number;
  tasks?: Record<string, Record<string, number>>;
  boards?: Record<string, string>;
  missing?: string[];
}

function look(time: string, seen: Seen, how: Partial<OutlookReading> = {}): OutlookReading {
  const tally = (count: number, verbs: Record<string, number> = {}) => ({ ...emptyTally(), count, verbs });
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  return {
    ...at(time),
    clock: CLOCK,
    drafts: DRAFTS,
    survey: {
      drafts: seen.drafts === undefined ? null : tally(seen.drafts),
      activity: Object.entries(seen.tasks ?? {}).map(([id, verbs]) => [id, tally(sum(verbs), verbs)]),
      boards: Object.entries(seen.boards ?? {}).map(([id, digest]) => [id, { excerpt: '', digest }]),
      missing: (seen.missing ?? []).map((what) => [what, '404']),
    },
    isApproving: false,
    weeks: 8,
    silentAfterMs: 14 * 86_400_000,
    nudge: true,
    ...how,
  };
}

const MONDAY = '2026-03-09T08:00:00Z';

function at(time: string): Pick<OutlookReading, 'now' | 'nudgeAt'> {
  return { now: Date.parse(time), nudgeAt: Date.parse(time) };
}

/** Looks again and again, through the JSON that a project keeps. */
function looks(...all: OutlookReading[]): { outlook: Outlook; nudges: unknown[]; week: string } {
  let before: Outlook | undefined;
  let last: ReturnType<typeof nextOutlook> | undefined;
  for (const next of all) {
    last = nextOutlook(before, next);
    before = previousOutlook(JSON.parse(JSON.stringify(last.outlook)));
    expect(before).toEqual(last.outlook);
  }
  if (!last) throw new Error('nobody looked');
  return last;
}

test('the first look has nothing to compare with', () => {
  const { outlook, nudges } = looks(
    look('2026-03-04T10:00:00Z', { drafts: 3, tasks: { t: { created: 2 } }, boards: { b: 'x' } }),
  );
  expect(nudges).toEqual([]);
  expect(outlook).toMatchObject({
    timezone: 'Europe/Berlin',
    weeks: [
      {
        week: '2026-03-02',
        drafts: { total: 3, new: 0, gone: 0 },
        activity: { total: 2, new: 0, verbs: {} },
        ...{ tasks: {}, boards: [], changes: [] },
      },
    ],
    boards: { b: { digest: 'x', since: '2026-03-04T10:00:00.000Z' } },
  });
});

test('what is new is counted once, and in the week in which it was seen', () => {
  const first = look('2026-03-04T10:00:00Z', { drafts: 3, tasks: { t: { created: 1 } }, boards: { b: 'x' } });
  const second = look('2026-03-05T10:00:00Z', {
    drafts: 5,
    tasks: { t: { created: 1, commented: 2 } },
    boards: { b: 'y' },
  });
  const third = look('2026-03-06T10:00:00Z', {
    drafts: 4,
    tasks: { t: { created: 1, commented: 3 } },
    boards: { b: 'y' },
  });
  const monday = look('2026-03-08T23:30:00Z', {
    drafts: 4,
    tasks: { t: { created: 1, commented: 4 } },
    boards: { b: 'y' },
  });
  const { outlook } = looks(first, second, second, third, third, monday, monday);
  expect(outlook.weeks).toEqual([
    {
      week: '2026-03-02',
      drafts: { total: 4, new: 2, gone: 1 },
      activity: { total: 4, new: 3, verbs: { commented: 3 } },
      tasks: { t: 3 },
      boards: ['b'],
      changes: [
        '2 more drafts',
        '1 fewer drafts, published or deleted',
        'commented: 3',
        'board b changed',
        'task t: 3 new entries',
      ],
    },
    {
      week: '2026-03-09',
      drafts: { total: 4, new: 0, gone: 0 },
      activity: { total: 5, new: 1, verbs: { commented: 1 } },
      tasks: { t: 1 },
      boards: [],
      changes: ['commented: 1', 'task t: 1 new entries'],
    },
  ]);
  expect(outlook.boards.b?.since).toBe('2026-03-05T10:00:00.000Z');
});

test('looking again without news gives the same outlook, at any time of the week', () => {
  const seen = { drafts: 3, tasks: { t: { ['__proto__']: 2 } }, boards: { b: 'x' }, missing: ['task u'] };
  const { outlook } = looks(look('2026-03-02T00:00:00+01:00', seen));
  expect(
    looks(look('2026-03-02T00:00:00+01:00', seen), look('2026-03-08T23:59:59+01:00', seen)).outlook,
  ).toEqual(outlook);
});

test.each([
  [1, '2026-03-01T23:30:00Z', '2026-03-02'],
  [1, '2026-03-01T22:30:00Z', '2026-02-23'],
  [7, '2026-03-01T22:30:00Z', '2026-03-01'],
  [6, '2026-03-01T22:30:00Z', '2026-02-28'],
  // The clock goes forward on Sunday, the 29th.
  [1, '2026-03-29T21:59:59Z', '2026-03-23'],
  [1, '2026-03-29T22:00:00Z', '2026-03-30'],
])('weeks begin on day %d: %s is in %s', (startOfWeek, at, week) => {
  expect(looks(look(at, {}, { clock: { ...CLOCK, startOfWeek } })).week).toBe(week);
});

test('only the last weeks are kept, and a week never goes back', () => {
  const all = Array.from({ length: 12 }, (_, n) =>
    look(new Date(Date.UTC(2026, 2, 4 + 7 * n)).toISOString(), { drafts: n }, { weeks: 3 }),
  );
  expect(looks(...all).outlook.weeks.map(({ week }) => week)).toEqual([
    '2026-05-04',
    '2026-05-11',
    '2026-05-18',
  ]);
  const earlier = look('2026-05-18T10:00:00Z', {}, { clock: { ...CLOCK, startOfWeek: 7 }, weeks: 3 });
  expect(looks(...all, earlier).week).toBe('2026-05-18');
});

test('nudges once a week for what waits, and not without anybody to nudge', () => {
  const boards = { b: 'x', c: 'x' };
  const first = look('2026-03-02T10:00:00Z', { boards });
  const later = look('2026-03-16T10:00:00Z', { boards: { b: 'x', c: 'y' } }, { isApproving: true });
  const since = '2026-03-02T10:00:00.000Z';
  const due = [{ about: 'approval' }, { about: 'board', board: 'b', since }];
  const { nudges, outlook } = looks(first, later);
  expect(nudges).toEqual(due);
  expect(outlook.nudged).toEqual({ approval: '2026-03-16', 'board b': '2026-03-16' });
  expect(looks(first, later, later).nudges).toEqual([]);
  expect(looks(first, later, later).outlook).toEqual(outlook);
  const nextWeek = { ...later, ...at('2026-03-23T10:00:00Z') };
  expect(looks(first, later, nextWeek).nudges).toEqual(due);
  expect(looks(first, { ...later, nudge: false })).toMatchObject({ nudges: [], outlook: { nudged: {} } });
});

test('what is due on a weekend counts for the week in which it goes out', () => {
  const approving = { isApproving: true };
  const wednesday = look('2026-03-04T10:00:00Z', {}, approving);
  const saturday = look('2026-03-07T10:00:00Z', {}, { ...approving, nudgeAt: Date.parse(MONDAY) });
  const due = { nudges: [{ about: 'approval' }], nudgeWeek: '2026-03-09', week: '2026-03-02' };
  expect(looks(saturday)).toMatchObject(due);
  expect(looks(wednesday, saturday)).toMatchObject(due);
  expect(looks(saturday).outlook.nudged).toEqual({ approval: '2026-03-09' });
  // Neither the next day nor on Monday itself is it planned a second time.
  const sunday = { ...saturday, now: Date.parse('2026-03-08T10:00:00Z') };
  expect(looks(saturday, sunday).nudges).toEqual([]);
  expect(looks(saturday, look(MONDAY, {}, approving)).nudges).toEqual([]);
  expect(looks(saturday, look('2026-03-16T10:00:00Z', {}, approving)).nudges).toHaveLength(1);
});

test('what is not there is remarked and not nudged about; back again, it is new', () => {
  const first = look('2026-03-02T10:00:00Z', { tasks: { t: { created: 1 } }, boards: { b: 'x' } });
  const gone = look('2026-03-20T10:00:00Z', { missing: ['task t', 'board b'] });
  const back = look('2026-03-21T10:00:00Z', {
    tasks: { t: { created: 1, commented: 1 } },
    boards: { b: 'z' },
  });
  expect(looks(first, gone)).toMatchObject({
    nudges: [],
    outlook: { remarks: ['task t is not there', 'board b is not there'] },
  });
  expect(looks(first, gone, back).outlook.weeks.at(-1)).toMatchObject({ tasks: {}, boards: [] });
});

test('lists that are too long to be read to their end are remarked', () => {
  const long = look('2026-03-02T10:00:00Z', { drafts: 3, tasks: { t: { created: 1 }, u: { created: 1 } } });
  const { drafts, activity } = long.survey;
  for (const tally of [drafts, activity[0]?.[1]]) if (tally) tally.more = true;
  const { outlook } = looks(long);
  expect(outlook.remarks).toEqual([
    'drafts: there is more than is read, so what is new at the end is not counted',
    'activity of t: there is more than is read, so what is new at the end is not counted',
  ]);
});

test('other drafts than before are no news', () => {
  const first = look('2026-03-02T10:00:00Z', { drafts: 3 });
  const others = look('2026-03-03T10:00:00Z', { drafts: 30 }, { drafts: { accounts: ['2'] } });
  expect(looks(first, others).outlook.weeks[0]?.drafts).toEqual({ total: 30, new: 0, gone: 0 });
});

test('twenty changes are told, however many there are', () => {
  const boards = (digest: string) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`b${n}`, digest]));
  const { outlook } = looks(
    look('2026-03-02T10:00:00Z', { boards: boards('x') }),
    look('2026-03-03T10:00:00Z', { boards: boards('y') }),
  );
  expect(outlook.weeks[0]?.changes).toHaveLength(20);
  expect(outlook.weeks[0]?.changes.at(-1)).toBe('and 31 more changes');
});

test.each([undefined, null, 'x', [], {}, { weeks: [{ week: 'soon' }] }])('%j is no outlook', (value) => {
  expect(previousOutlook(value)).toBeUndefined();
});
