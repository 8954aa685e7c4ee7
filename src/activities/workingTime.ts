import { ApplicationFailure } from '@temporalio/common';
import { FAILURE, type WorkingHours, type WorkingHoursOrder, type WorkingTimeOrder } from '../contract';
import { clockChange, DAY_MS, isZone, type LocalTime, localTime } from '../calendar/zones';

const HOUR_MS = 3_600_000;
const [OPENS_AT_MS, CLOSES_AT_MS] = [9 * HOUR_MS, 18 * HOUR_MS];
const FRIDAY = 5;

/**
 * When people are at work. Activities, because the rules of clocks change with the version of Node, and a workflow must
 * replay. `wallClock` is what shows the time here; answers are by the clock of whoever asks.
 */
export function createWorkingHours(wallClock?: () => number) {
  const moments = (asked: number): { moment: number; timeOf: (moment: number) => string } => {
    const ahead = wallClock ? wallClock() - Date.now() : 0;
    return { moment: asked + ahead, timeOf: (moment) => new Date(moment - ahead).toISOString() };
  };
  return {
    workingTime: ({ notBefore, timezone }: WorkingTimeOrder): Promise<string> =>
      told('notBefore', notBefore, timezone, (asked) => {
        const { moment, timeOf } = moments(asked);
        return timeOf(firstWorkingMoment(moment, timezone));
      }),
    workingHours: ({ at, timezone }: WorkingHoursOrder): Promise<WorkingHours> =>
      told('at', at, timezone, (asked) => {
        const { moment, timeOf } = moments(asked);
        const opens = firstWorkingMoment(moment, timezone);
        const { date } = localTime(opens, timezone);
        return { opensAt: timeOf(opens), closesAt: timeOf(closingMoment(opens, timezone)), date };
      }),
  };
}

function told<T>(name: string, time: string, timezone: string, tell: (moment: number) => T): Promise<T> {
  const moment = Date.parse(time);
  const problems = [
    ...(Number.isNaN(moment) ? [`${name}: "${time}" is not a time`] : []),
    ...(isZone(timezone) ? [] : [`timezone: nobody knows "${timezone}"`]),
  ];
  if (problems.length === 0) return Promise.resolve(tell(moment));
  return Promise.reject(
    ApplicationFailure.nonRetryable(
      `The working time cannot be told: ${problems.join('; ')}`,
      FAILURE.badInput,
    ),
  );
}

/** When the working hours of that moment are over; or a change of the clock, where that is earlier. */
function closingMoment(moment: number, timezone: string): number {
  const closes = moment + CLOSES_AT_MS - localTime(moment, timezone).timeOfDay;
  return clockChange(moment, closes, timezone) ?? closes;
}

/** Goes from one change of the clock to the next; in between a day has 24 hours. */
export function firstWorkingMoment(from: number, timezone: string): number {
  for (let moment = from; ;) {
    const wait = untilOpening(localTime(moment, timezone));
    if (wait === 0) return moment;
    const changed = clockChange(moment, moment + wait, timezone);
    if (changed === undefined) return moment + wait;
    moment = changed;
  }
}

/** How long it is until working hours, on a clock that nobody touches; 0 when it is in them. */
function untilOpening({ weekday, timeOfDay }: LocalTime): number {
  const isWorkday = weekday <= FRIDAY;
  if (isWorkday && timeOfDay >= OPENS_AT_MS && timeOfDay < CLOSES_AT_MS) return 0;
  if (isWorkday && timeOfDay < OPENS_AT_MS) return OPENS_AT_MS - timeOfDay;
  const days = weekday < FRIDAY ? 1 : 8 - weekday;
  return days * DAY_MS + OPENS_AT_MS - timeOfDay;
}
