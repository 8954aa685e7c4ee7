/** The metrics of a worker, by the names that alerts use. */
import { getClient, log } from '@temporalio/activity';
import { type MetricMeter } from '@temporalio/common';
import { findTool } from '../../api/tools';
import { type SubmitOutcome } from '../../contract';
import { scheduleId } from '../../contract/ids';
import { skippedFirings } from '../../runs/schedule/spec';
import { type BreakerChange } from '../protection/breaker';

/** `unknown` is a job that waits for a person. */
export function countSubmit(meter: MetricMeter, tool: string, { outcome }: SubmitOutcome): void {
  // An unknown tool is a text from outside: it would make any number of time series.
  meter.createCounter('segue_submits').add(1, { outcome, tool: findTool(tool) ? tool : 'none' });
}

/** The gauge is 1 while a worker holds its submits back. */
export function countBreakerChange(meter: MetricMeter, { to }: BreakerChange): void {
  meter.createCounter('segue_breaker_changes').add(1, { to });
  meter.createGauge('segue_breaker_open').set(to === 'open' ? 1 : 0);
}

/** By the Temporal server's own count: of several workers the largest is right. A firing must not fail because of it. */
export async function meterSkippedFirings(meter: MetricMeter, schedule: string): Promise<void> {
  try {
    const description = await getClient().schedule.getHandle(scheduleId(schedule)).describe();
    const gauge = meter.createGauge('segue_schedule_skipped_firings');
    for (const [why, count] of Object.entries(skippedFirings(description)))
      gauge.set(count as number, { schedule, why });
  } catch (error) {
    log.debug('the schedule of a firing cannot be read', { schedule, error });
  }
}

/** `told`: whether a run got the late task id by signal. */
export function countLateAnswer(meter: MetricMeter, told: boolean): void {
  meter.createCounter('segue_late_answers').add(1, { told });
}
