import { ApplicationFailure } from '@temporalio/common';
import { FAILURE, type WorkingTimeOrder } from '../contract';
import { clockChange, DAY_MS, isZone, type LocalTime, localTime } from '../zones';

const HOUR_MS = 3_600_000;
const [OPENS_AT_MS, CLOSES_AT_MS] = [9 * HOUR_MS, 18 * HOUR_MS];
const FRIDAY = 5;

/**
 * The first moment from then on in the working hours of a place. An activity, because the rules of clocks change with
 * the version of Node, and a workflow must replay.
 */
export function workingTime({ notBefore, timezone }: WorkingTimeOrder): Promise<string> {
  const from = Date.parse(notBefore);
  const problems = [
    ...(Number.isNaN(from) ? [`notBefore: "${notBefore}" is not a time`] : []),
    ...(isZone(timezone) ? [] : [`timezone: nobody knows "${timezone}"`]),
  ];
  if (problems.length > 0)
    return Promise.reject(
      ApplicationFailure.nonRetryable(
        `The working time cannot be told: ${problems.join('; ')}`,
        FAILURE.badInput,
      ),
    );
  return Promise.resolve(new Date(firstWorkingMoment(from, timezone)).toISOString());
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
