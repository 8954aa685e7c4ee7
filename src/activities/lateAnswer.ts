import { Context, log, metricMeter } from '@temporalio/activity';
import { acceptedSignal } from '../contract';
import { holdName } from '../ids';
import { countLateAnswer } from '../metrics';
import { insist } from './insist';

/** For as long as the trouble that made the answer late may last. */
const PATIENCE_MS = 3_600_000;

/** Tells the run of a task id that came too late to be a result. It never throws: there is nobody left to tell. */
export async function tellLateAnswer(key: string, submission: number, taskId: string): Promise<void> {
  const { info, client } = Context.current();
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const hold = holdName(runId, submission);
  try {
    // By its id alone: the run may have continued as new, or been reset, and whoever stands for it now is held.
    const handle = client.workflow.getHandle(workflowId);
    await insist(client, PATIENCE_MS, () => handle.signal(acceptedSignal, { hold, taskId }));
    countLateAnswer(metricMeter, true);
    log.warn('told the run of a late answer', { key, hold, taskId });
  } catch (error) {
    countLateAnswer(metricMeter, false);
    log.error(
      'the service accepted a job, and its run could not be told; adopt the task by hand, or it is paid for nothing',
      { key, hold, taskId, error },
    );
  }
}
