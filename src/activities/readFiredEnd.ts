import { type MetricMeter } from '@temporalio/common';
import { type FiredEnd, type ReadFiredEndOrder } from '../contract';
import { readEnd } from './readEnd';
import { meterSkippedFirings } from './skippedFirings';

/** Where a run's own result says how it went. */
const RESULT_STATUS = '/status';

/** Results that are an end like any other to the run, and not a success to those who wait for it. */
const NOT_SUCCEEDED: Partial<Record<string, FiredEnd>> = {
  rejected: { status: 'failed', error: 'it was rejected' },
  expired: { status: 'failed', error: 'nobody decided in time' },
};

/** How the run of a firing ended; null while it runs. */
export function createReadFiredEnd(meter: MetricMeter) {
  return async function readFiredEnd(order: ReadFiredEndOrder): Promise<FiredEnd | null> {
    const { schedule, workflowId, isEnding } = order;
    await meterSkippedFirings(meter, schedule);
    const end = await readEnd({ workflowId, isEnding, pointers: [RESULT_STATUS] });
    switch (end.is) {
      case 'open':
        return null;
      case 'gone':
        return { status: 'failed', error: 'the Temporal server no longer knows its run' };
      case 'succeeded': {
        const found = end.values[RESULT_STATUS];
        const word = found && 'value' in found ? String(found.value) : '';
        return NOT_SUCCEEDED[word] ?? { status: 'succeeded', error: null };
      }
      case 'failed':
      case 'abandoned':
      case 'cancelled':
      case 'terminated':
        return { status: end.is, error: end.error };
    }
  };
}
