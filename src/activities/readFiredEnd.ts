import { type MetricMeter } from '@temporalio/common';
import { endOfBatch } from '../runs/batch/end';
import { type BatchResult, type FiredEnd, type JobEnd, type ReadFiredEndOrder } from '../contract';
import { batchWorkflowId, keyIn } from '../contract/ids';
import { meterSkippedFirings } from './lib/metrics';
import { readEnd } from './runs';

/** Pointers into the result of a run; all but the first are a batch's. */
const RESULT = { status: '/status', counts: '/counts', incomplete: '/incomplete', stopped: '/stopped' };

/** Results of a run that completed, and did not succeed for those who wait for it. */
const NOT_SUCCEEDED: Partial<Record<string, FiredEnd>> = {
  rejected: { status: 'failed', error: 'it was rejected' },
  expired: { status: 'failed', error: 'nobody decided in time' },
};

/** How the run of a firing ended; null while it runs. */
export function createReadFiredEnd(meter: MetricMeter) {
  return async function readFiredEnd(order: ReadFiredEndOrder): Promise<FiredEnd | null> {
    const { schedule, workflowId, isEnding } = order;
    await meterSkippedFirings(meter, schedule);
    const end = await readEnd({ workflowId, isEnding, pointers: Object.values(RESULT) });
    switch (end.is) {
      case 'open':
        return null;
      case 'gone':
        return { status: 'failed', error: 'the Temporal server no longer knows its run' };
      case 'succeeded':
        return endByResult(workflowId, end.values);
      case 'failed':
      case 'abandoned':
      case 'cancelled':
      case 'terminated':
        return { status: end.is, error: end.error };
    }
  };
}

type Values = Extract<JobEnd, { is: 'succeeded' }>['values'];

function endByResult(workflowId: string, values: Values): FiredEnd {
  const [status, counts, incomplete, stopped] = Object.values(RESULT).map((pointer) => {
    const found = values[pointer];
    return found && 'value' in found ? found.value : undefined;
  });
  const isBatch = workflowId === batchWorkflowId(keyIn(workflowId));
  if (isBatch) return endOfBatch({ status, counts, incomplete, stopped } as BatchResult);
  return NOT_SUCCEEDED[String(status)] ?? { status: 'succeeded', error: null };
}
