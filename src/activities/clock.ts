/** Clocks and working hours of workspaces. */
import { ApplicationFailure } from '@temporalio/common';
import { type Api } from '../api/client';
import { type WorkspaceContext } from '../api/operations/workspace';
import { clockChange, DAY_MS, isZone, type LocalTime, localTime } from '../calendar/zones';
import {
  FAILURE,
  type WorkingHours,
  type WorkingHoursOrder,
  type WorkingTimeOrder,
  type WorkspaceClock,
  type WorkspaceClockInput,
} from '../contract';
import { truncate } from '../api/json';
import { callOptions } from './calls';
import { activityFailure } from './lib/failures';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONDAY = 1;

/** Reads the time zone and the start of the week of a workspace. */
export function createReadWorkspaceClock(api: Api) {
  return async function readWorkspaceClock({ scope }: WorkspaceClockInput): Promise<WorkspaceClock> {
    try {
      return clockOf(await api.getWorkspace({}, callOptions('readWorkspaceClock', { scope })));
    } catch (error) {
      throw activityFailure(error);
    }
  };
}

/** The clock of a workspace, with a remark for each setting that is missing or unknown. */
export function clockOf({ workspace }: WorkspaceContext): WorkspaceClock {
  const { timezone, start_of_week: startOfWeek } = workspace?.settings ?? {};
  const remarks: string[] = [];
  const isKnownZone = typeof timezone === 'string' && isZone(timezone);
  if (!isKnownZone) remarks.push(`the workspace ${said('timezone', timezone)}; UTC stands for it`);
  const day = dayOf(startOfWeek ?? '');
  if (day === undefined)
    remarks.push(`the workspace ${said('start of the week', startOfWeek)}; Monday stands for it`);
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
    ? `tells no ${what}`
    : `tells "${truncate(value, 60)}" as ${what}, which is not understood`;
}

const HOUR_MS = 3_600_000;
const [OPENS_AT_MS, CLOSES_AT_MS] = [9 * HOUR_MS, 18 * HOUR_MS];
const FRIDAY = 5;

/**
 * When people are at work. Activities, because time zone rules change with the version of Node, and a workflow must
 * replay. Tests set `wallClock`; the returned times are by the caller's clock.
 */
export function createWorkingHours(wallClock?: () => number) {
  const hoursFrom = (asked: number, timezone: string): WorkingHours => {
    const ahead = wallClock ? wallClock() - Date.now() : 0;
    const timeOf = (moment: number): string => new Date(moment - ahead).toISOString();
    const opens = firstWorkingMoment(asked + ahead, timezone);
    const { date } = localTime(opens, timezone);
    return { opensAt: timeOf(opens), closesAt: timeOf(closingMoment(opens, timezone)), date };
  };
  return {
    workingTime: ({ notBefore, timezone }: WorkingTimeOrder): Promise<string> =>
      withValid('notBefore', notBefore, timezone, (asked) => hoursFrom(asked, timezone).opensAt),
    workingHours: ({ at, timezone }: WorkingHoursOrder): Promise<WorkingHours> =>
      withValid('at', at, timezone, (asked) => hoursFrom(asked, timezone)),
  };
}

function withValid<T>(
  name: string,
  time: string,
  timezone: string,
  compute: (moment: number) => T,
): Promise<T> {
  const moment = Date.parse(time);
  const problems = [
    ...(Number.isNaN(moment) ? [`${name}: "${time}" is not a time`] : []),
    ...(isZone(timezone) ? [] : [`timezone: nobody knows "${timezone}"`]),
  ];
  if (problems.length === 0) return Promise.resolve(compute(moment));
  return Promise.reject(
    ApplicationFailure.nonRetryable(
      `The working time cannot be told: ${problems.join('; ')}`,
      FAILURE.badInput,
    ),
  );
}

/** When the working hours of that moment end, or when the clock changes, if that is earlier. */
function closingMoment(moment: number, timezone: string): number {
  const closes = moment + CLOSES_AT_MS - localTime(moment, timezone).timeOfDay;
  return clockChange(moment, closes, timezone) ?? closes;
}

/** Steps from one clock change to the next; between them every day has 24 hours. */
export function firstWorkingMoment(from: number, timezone: string): number {
  for (let moment = from; ;) {
    const wait = untilOpening(localTime(moment, timezone));
    if (wait === 0) return moment;
    const changed = clockChange(moment, moment + wait, timezone);
    if (changed === undefined) return moment + wait;
    moment = changed;
  }
}

/** How long it is until working hours when the clock does not change; 0 during working hours. */
function untilOpening({ weekday, timeOfDay }: LocalTime): number {
  const isWorkday = weekday <= FRIDAY;
  if (isWorkday && timeOfDay >= OPENS_AT_MS && timeOfDay < CLOSES_AT_MS) return 0;
  if (isWorkday && timeOfDay < OPENS_AT_MS) return OPENS_AT_MS - timeOfDay;
  const days = weekday < FRIDAY ? 1 : 8 - weekday;
  return days * DAY_MS + OPENS_AT_MS - timeOfDay;
}
