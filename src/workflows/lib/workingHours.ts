/** When people may be nudged: read again right before sending, because a planned time may pass while no worker runs. */
import { proxyActivities } from '@temporalio/workflow';
import { type SegueActivities } from '../../contract';

/** Activities, because time zones change between releases of the runtime and a recorded result replays. */
const clock = proxyActivities<SegueActivities>({ startToCloseTimeout: '10s' });

/** The first moment in working hours, from `notBefore` on. */
export function workingTime(timezone: string, notBefore: string): Promise<string> {
  return clock.workingTime({ notBefore, timezone });
}

/** The end of the working hours and the date; outside of them, when they begin. */
export async function workingHours(
  timezone: string,
): Promise<{ until: string; date: string } | { opensAt: string }> {
  for (;;) {
    const at = new Date().toISOString();
    const { opensAt, closesAt, date } = await clock.workingHours({ at, timezone });
    // They may be over by now: the result waits while no worker runs.
    if (Date.now() >= Date.parse(closesAt)) continue;
    return Date.parse(opensAt) > Date.now() ? { opensAt } : { until: closesAt, date };
  }
}
