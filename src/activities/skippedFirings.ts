import { getClient, log } from '@temporalio/activity';
import { type MetricMeter } from '@temporalio/common';
import { scheduleId } from '../contract/ids';
import { showSkippedFirings } from './lib/metrics';
import { skippedFirings } from '../calendar/skippedFirings';

/** Shows how many firings a schedule skipped. A schedule that is gone skips none, and no firing fails because of it. */
export async function meterSkippedFirings(meter: MetricMeter, schedule: string): Promise<void> {
  try {
    const description = await getClient().schedule.getHandle(scheduleId(schedule)).describe();
    showSkippedFirings(meter, schedule, skippedFirings(description));
  } catch (error) {
    log.debug('the schedule of a firing cannot be read', { schedule, error });
  }
}
