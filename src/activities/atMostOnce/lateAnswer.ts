/** Task ids that come too late to be a result: whoever ordered the work is told by signal. */
import { Context, log, metricMeter } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type SignalDefinition } from '@temporalio/common';
import { acceptedSignal, type LateTasks, lateTasksSignal } from '../../contract';
import { holdName, mediaWorkflowId } from '../../contract/ids';
import { countLateAnswer } from '../lib/metrics';
import { insist } from './retryTemporalCall';

/** For as long as the trouble that made the answer late may last. */
const PATIENCE_MS = 3_600_000;

/** Tells the run of a job. It never throws: there is nobody left to tell. */
export function tellLateAnswer(key: string, submission: number, taskId: string): Promise<void> {
  const { workflowId, runId } = orderedBy();
  const hold = holdName(runId, submission);
  return telling({ key, hold, taskId }, () => signal(workflowId, acceptedSignal, { hold, taskId }));
}

export type LateTask = LateTasks['tasks'][number] & { key: string };

/** Tells a partition of the tasks of a chunk; one that is over has left its items to runs of their own. */
export function tellLateTasks(late: LateTask[]): Promise<void> {
  const { workflowId, runId } = orderedBy();
  const tasks = late.map(({ item, attempt, taskId }) => ({ item, attempt, taskId }));
  const tellItem = ({ key, attempt, taskId }: LateTask): Promise<void> => {
    const hold = holdName(runId, attempt);
    return telling({ key, hold, taskId }, () =>
      signal(mediaWorkflowId(key), acceptedSignal, { hold, taskId }),
    );
  };
  return telling({ tasks: late }, async () => {
    try {
      await signal(workflowId, lateTasksSignal, { tasks });
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      // Each by itself: one that is over must not hide what became of the others.
      await Promise.all(late.map(tellItem));
    }
  });
}

function orderedBy(): { workflowId: string; runId: string } {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  return { workflowId, runId };
}

/** By its id alone: the run may have continued as new, or been reset, and whoever stands for it now is told. */
function signal<News>(workflowId: string, { name }: SignalDefinition<[News]>, news: News): Promise<void> {
  const { client } = Context.current();
  const handle = client.workflow.getHandle(workflowId);
  return insist(client, PATIENCE_MS, () => handle.signal<[News]>(name, news));
}

async function telling(facts: Record<string, unknown>, tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
    countLateAnswer(metricMeter, true);
    log.warn('told the run of a late answer', facts);
  } catch (error) {
    countLateAnswer(metricMeter, false);
    log.error(
      'the service accepted a job, and its run could not be told; adopt the task by hand, or it is paid for nothing',
      { ...facts, error },
    );
  }
}
