/** When people may be nudged: read again right before sending, because a planned time may pass while no worker runs. */
import { ActivityFailure, isCancellation, log, proxyActivities } from '@temporalio/workflow';
import { type SegueActivities } from '../../contract';

/** Activities, because time zones change between releases of the runtime and a recorded result replays. */
const clock = proxyActivities<SegueActivities>({ startToCloseTimeout: '10s' });

/** The first moment in working hours, from `notBefore` on. */
export function workingTime(zone: string, notBefore: string): Promise<string> {
  return orByUtc(zone, (timezone) => clock.workingTime({ notBefore, timezone }));
}

/** The end of the working hours and the date; outside of them, when they begin. */
export async function workingHours(
  zone: string,
): Promise<{ until: string; date: string } | { opensAt: string }> {
  for (;;) {
    const at = new Date().toISOString();
    const { opensAt, closesAt, date } = await orByUtc(zone, (timezone) =>
      clock.workingHours({ at, timezone }),
    );
    // They may be over by now: the result waits while no worker runs.
    if (Date.now() >= Date.parse(closesAt)) continue;
    return Date.parse(opensAt) > Date.now() ? { opensAt } : { until: closesAt, date };
  }
}

/** A zone that only another worker knows must not fail a run that is paid for. */
async function orByUtc<T>(timezone: string, ask: (timezone: string) => Promise<T>): Promise<T> {
  try {
    return await ask(timezone);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    log.warn('reminders go by UTC', { timezone, reason: error.cause?.message ?? error.message });
    return ask('UTC');
  }
}
