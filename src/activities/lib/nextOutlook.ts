/**
 * Computes the next outlook from the stored one and what was read now.
 *
 * Drafts, boards and entries of activity have no published times, so changes are found by comparing with the last look.
 * Drafts are counted and not compared one by one: no field of theirs is published, and a field that differs at every
 * look would be news at every look.
 */
import {
  type Nudge,
  type Outlook,
  type OutlookNews,
  type OutlookOrder,
  type OutlookWeek,
  type WorkspaceClock,
} from '../../contract';
import { nudgeSubject } from '../../contract/ids';
import { truncate } from '../../api/json';
import { dateOf, localTime } from '../../calendar/zones';
import { digest } from '../../platform/digest';
import { addCounts, moreThan, type Survey } from './survey';

const MOST_CHANGES = 20;
const LONGEST_CHANGE = 200;

export interface OutlookReading extends Pick<OutlookOrder, 'drafts' | 'weeks' | 'silentAfterMs' | 'nudge'> {
  now: number;
  /** When people can be nudged: now, or when working hours begin. */
  nudgeAt: number;
  clock: WorkspaceClock;
  survey: Survey;
  /** Whether the campaign waits for an approval. */
  isApproving: boolean;
}

export function nextOutlook(
  before: Outlook | undefined,
  reading: OutlookReading,
): Omit<OutlookNews, 'outlook' | 'organization' | 'timezone'> & { outlook: Outlook } {
  const { clock, survey, weeks } = reading;
  const week = weekOf(before, clock, reading.now);
  // A nudge counts for the week in which it is read: one that waits over a weekend is not repeated on Monday.
  const nudgeWeek = weekOf(before, clock, reading.nudgeAt);
  const oldest = dateOf(localTime(Date.parse(week), 'UTC').minus({ weeks: weeks - 1 }));
  const past = before?.weeks.filter(({ week: name }) => name >= oldest && name !== week) ?? [];
  const boards = boardsNow(before, reading);
  const remarks = [
    ...clock.remarks,
    ...survey.missing.map(([what]) => `${what} is not there`),
    ...remarksOnLength(survey),
  ];
  const nudges = nudgesDue(before, reading, nudgeWeek, boards);
  const outlook: Outlook = {
    timezone: clock.timezone,
    startOfWeek: clock.startOfWeek,
    weeks: [...past, weekNow(before, reading, week)],
    seen: {
      drafts: survey.drafts && { total: survey.drafts.count, of: digest(reading.drafts) },
      activity: Object.fromEntries(
        survey.activity.map(([task, { count, verbs }]) => [task, { total: count, verbs }]),
      ),
    },
    boards,
    nudged: {
      ...Object.fromEntries(Object.entries(before?.nudged ?? {}).filter(([, when]) => when >= week)),
      ...Object.fromEntries(nudges.map((nudge) => [nudgeSubject(nudge), nudgeWeek])),
    },
    remarks,
  };
  return { week, outlook, nudges, nudgeWeek, remarks };
}

/** A list that is not read to its end would look as if nothing was added. */
function remarksOnLength({ drafts, activity }: OutlookReading['survey']): string[] {
  const long = [
    ...(drafts?.more ? ['drafts'] : []),
    ...activity.flatMap(([task, { more }]) => (more ? [`activity of ${task}`] : [])),
  ];
  return long.map((what) => `${what}: there is more than is read, so what is new at the end is not counted`);
}

/** The first day of the week. A workspace that moves its clock or its weeks does not go back to an earlier one. */
function weekOf(before: Outlook | undefined, clock: WorkspaceClock, moment: number): string {
  const time = localTime(moment, clock.timezone);
  const first = dateOf(time.minus({ days: (time.weekday - clock.startOfWeek + 7) % 7 }));
  const latest = before?.weeks.at(-1)?.week ?? first;
  return latest > first ? latest : first;
}

function weekNow(before: Outlook | undefined, reading: OutlookReading, week: string): OutlookWeek {
  const { survey } = reading;
  const sofar = before?.weeks.find(({ week: name }) => name === week);
  const news = survey.activity.flatMap(([task, { count, verbs }]) => {
    const was = own(before?.seen.activity, task);
    return was && count > was.total
      ? [{ task, count: count - was.total, verbs: moreThan(was.verbs, verbs) }]
      : [];
  });
  const changed = survey.boards.flatMap(([board, { digest: now }]) => {
    const was = own(before?.boards, board);
    return was && was.digest !== now ? [board] : [];
  });
  const counts: Omit<OutlookWeek, 'changes'> = {
    week,
    drafts: draftsNow(before, reading, sofar),
    activity: {
      total: survey.activity.reduce((sum, [, { count }]) => sum + count, 0),
      new: news.reduce((sum, { count }) => sum + count, sofar?.activity.new ?? 0),
      verbs: news.reduce((sum, { verbs }) => addCounts(sum, verbs), sofar?.activity.verbs ?? {}),
    },
    tasks: news.reduce((sum, { task, count }) => addCounts(sum, { [task]: count }), sofar?.tasks ?? {}),
    boards: [...new Set([...(sofar?.boards ?? []), ...changed])],
  };
  return { ...counts, changes: changesOf(counts) };
}

function draftsNow(
  before: Outlook | undefined,
  { survey, drafts }: OutlookReading,
  sofar: OutlookWeek | undefined,
): OutlookWeek['drafts'] {
  if (!survey.drafts) return null;
  const total = survey.drafts.count;
  const was = before?.seen.drafts;
  // Counts of different searches cannot be compared.
  const more = was?.of === digest(drafts) ? total - was.total : 0;
  return {
    total,
    new: (sofar?.drafts?.new ?? 0) + Math.max(0, more),
    gone: (sofar?.drafts?.gone ?? 0) + Math.max(0, -more),
  };
}

function boardsNow(before: Outlook | undefined, { survey, now }: OutlookReading): Outlook['boards'] {
  return Object.fromEntries(
    survey.boards.map(([board, { digest: seen }]) => {
      const was = own(before?.boards, board);
      const since = was?.digest === seen ? was.since : new Date(now).toISOString();
      return [board, { digest: seen, since }];
    }),
  );
}

function nudgesDue(
  before: Outlook | undefined,
  { now, isApproving, silentAfterMs, nudge: isAsked }: OutlookReading,
  week: string,
  boards: Outlook['boards'],
): Nudge[] {
  if (!isAsked) return [];
  const silent = Object.entries(boards).flatMap(([board, { since }]): Nudge[] =>
    now - Date.parse(since) >= silentAfterMs ? [{ about: 'board', board, since }] : [],
  );
  const due: Nudge[] = [...(isApproving ? [{ about: 'approval' } as const] : []), ...silent];
  return due.filter((nudge) => own(before?.nudged, nudgeSubject(nudge)) !== week);
}

function changesOf({ drafts, tasks, boards, activity }: Omit<OutlookWeek, 'changes'>): string[] {
  const changes = [
    ...(drafts?.new ? [`${drafts.new} more drafts`] : []),
    ...(drafts?.gone ? [`${drafts.gone} fewer drafts, published or deleted`] : []),
    ...Object.entries(activity.verbs).map(([verb, count]) => `${verb}: ${count}`),
    ...boards.map((board) => `board ${board} changed`),
    ...Object.entries(tasks).map(([task, count]) => `task ${task}: ${count} new entries`),
  ].map((change) => truncate(change, LONGEST_CHANGE));
  if (changes.length <= MOST_CHANGES) return changes;
  const left = changes.length - (MOST_CHANGES - 1);
  return [...changes.slice(0, MOST_CHANGES - 1), `and ${left} more changes`];
}

function own<T>(members: Record<string, T> | undefined, name: string): T | undefined {
  return members && Object.hasOwn(members, name) ? members[name] : undefined;
}
