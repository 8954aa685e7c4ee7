/**
 * When people may be nudged. What was planned for working hours may be late: no worker was there, or the campaign was
 * paused. So they are looked at again at the moment of sending.
 */
import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import { type SegueActivities } from '../../contract';

/**
 * Time zones change between releases of the runtime: worked out once and recorded, it replays. Not local activities:
 * where the result of one, a question about the status and a signal meet in one workflow task, the SDK applies them in
 * another order when it replays (seen).
 */
const clock = proxyActivities<SegueActivities>({ startToCloseTimeout: '10s' });

export interface Place {
  timezone: string;
  /** Told why it goes by UTC instead. */
  onUnknown?: (words: string) => void;
}

/** The first moment from then on in working hours. */
export function workingTime(place: Place, notBefore: string): Promise<string> {
  return orByUtc(place, (timezone) => clock.workingTime({ notBefore, timezone }));
}

/** Whether it is working time: until when and on which day, or when it will be. */
export async function workingHours(
  place: Place,
): Promise<{ until: string; date: string } | { opensAt: string }> {
  for (;;) {
    const at = new Date().toISOString();
    const { opensAt, closesAt, date } = await orByUtc(place, (timezone) =>
      clock.workingHours({ at, timezone }),
    );
    // By now it may be over: an answer has to wait where no worker takes it.
    if (Date.now() >= Date.parse(closesAt)) continue;
    return Date.parse(opensAt) > Date.now() ? { opensAt } : { until: closesAt, date };
  }
}

/** A zone that the worker before knew, and this one does not, must not end what is paid for. */
async function orByUtc<T>({ timezone, onUnknown }: Place, ask: (timezone: string) => Promise<T>): Promise<T> {
  try {
    return await ask(timezone);
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    onUnknown?.(`reminders go by UTC: ${error.cause?.message ?? error.message}`);
    return ask('UTC');
  }
}
