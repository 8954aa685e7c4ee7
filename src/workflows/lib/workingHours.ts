/** When people may be nudged: read again right before sending, because a planned time may pass while no worker runs. */
import { proxyActivities } from '@temporalio/workflow';
import { type SegueActivities } from '../../contract';

const clock = proxyActivities<SegueActivities>({ startToCloseTimeout: '10s' });

/** The end of the working hours and the date; outside of them, when they begin. */
export async function workingHours(
  timezone: string,
): Promise<{ until: string; date: string } | { opensAt: string }> {
  for (;;) {
    const { opensAt, closesAt, date } = await clock.workingHours({ at: new Date().toISOString(), timezone });
    // They may be over by now: the result waits while no worker runs.
    if (Date.now() >= Date.parse(closesAt)) continue;
    return Date.parse(opensAt) > Date.now() ? { opensAt } : { until: closesAt, date };
  }
}
