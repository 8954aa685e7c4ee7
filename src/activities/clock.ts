import { type DateTime } from 'luxon';
import { type Api } from '../api/client';
import { truncate } from '../api/json';
import { type WorkspaceContext } from '../api/operations/workspace';
import { dateOf, isZone, localTime } from '../calendar/zones';
import { type SegueActivities, type WorkspaceClock } from '../contract';
import { oneCall } from './lib/calls';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONDAY = 1;

export function createReadWorkspaceClock(api: Api): SegueActivities['readWorkspaceClock'] {
  return (order) =>
    oneCall('readWorkspaceClock', order, async (options) => clockOf(await api.getWorkspace({}, options)));
}

/** The clock of a workspace, with a remark for each setting that is missing or unknown. */
export function clockOf({ workspace }: WorkspaceContext): WorkspaceClock {
  const { timezone, start_of_week: startOfWeek } = workspace?.settings ?? {};
  const remarks: string[] = [];
  const isKnownZone = typeof timezone === 'string' && isZone(timezone);
  if (!isKnownZone) remarks.push(`the workspace ${said('timezone', timezone)}; UTC is used`);
  const day = dayOf(startOfWeek ?? '');
  if (day === undefined)
    remarks.push(`the workspace ${said('start of the week', startOfWeek)}; Monday is used`);
  return { timezone: isKnownZone ? timezone : 'UTC', startOfWeek: day ?? MONDAY, remarks };
}

/**
 * 1 is Monday, 7 Sunday. The API's document calls it a short code without an example, so only unambiguous values are
 * accepted: the first two or three letters, or the whole word. A number could count from Sunday or from Monday.
 */
function dayOf(code: string): number | undefined {
  const word = code.trim().toLowerCase();
  const index = DAYS.findIndex((day) => [day.slice(0, 2), day.slice(0, 3), day].includes(word));
  return index === -1 ? undefined : index + 1;
}

function said(what: string, value: string | null | undefined): string {
  return value === undefined || value === null || value === ''
    ? `has no ${what}`
    : `has "${truncate(value, 60)}" as ${what}, which is not understood`;
}

const [OPENS_AT, CLOSES_AT] = [9, 18];
const FRIDAY = 5;

/**
 * When people are at work; by UTC in a zone that this worker does not know. An activity, because time zone rules change
 * with the version of Node, and a workflow must replay. Tests set `wallClock`; the times are by the caller's clock.
 */
export function createWorkingHours(wallClock?: () => number): SegueActivities['workingHours'] {
  return ({ at, timezone }) => {
    const ahead = wallClock ? wallClock() - Date.now() : 0;
    const timeOf = (moment: number): string => new Date(moment - ahead).toISOString();
    const zone = isZone(timezone) ? timezone : 'UTC';
    const opens = firstWorkingMoment(Date.parse(at) + ahead, zone);
    const time = localTime(opens, zone);
    const closesAt = timeOf(atHour(time, CLOSES_AT));
    return Promise.resolve({ opensAt: timeOf(opens), closesAt, date: dateOf(time) });
  };
}

export function firstWorkingMoment(from: number, timezone: string): number {
  let time = localTime(from, timezone);
  while (time.weekday > FRIDAY || time.toMillis() >= atHour(time, CLOSES_AT))
    time = time.plus({ days: 1 }).startOf('day');
  return Math.max(time.toMillis(), atHour(time, OPENS_AT));
}

function atHour(time: DateTime, hour: number): number {
  return time.startOf('day').set({ hour }).toMillis();
}
