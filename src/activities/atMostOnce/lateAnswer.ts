/** Task ids that come too late to be a result: a signal brings them to the run that ordered the work. */
import { Context, log, metricMeter } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type SignalDefinition } from '@temporalio/common';
import { acceptedSignal, type LateTasks, lateTasksSignal } from '../../contract';
import { holdName, mediaWorkflowId } from '../../contract/ids';
import { countLateAnswer } from '../lib/metrics';
import { retryTemporalCall } from './server';

/** As long as the outage that made the answer late may last. */
const RETRY_FOR_MS = 3_600_000;

/** Signals the run of a job. It never throws: nobody is left to handle an error. */
export function signalLateAnswer(key: string, submission: number, taskId: string): Promise<void> {
  const { workflowId, runId } = orderedBy();
  const hold = holdName(runId, submission);
  return logged({ key, hold, taskId }, () => signal(workflowId, acceptedSignal, { hold, taskId }));
}

export type LateTask = LateTasks['tasks'][number] & { key: string; attempt: number };

/** Signals a partition the tasks of a chunk; the items of a partition that is over are separate jobs. */
export function signalLateTasks(late: LateTask[]): Promise<void> {
  const { workflowId, runId } = orderedBy();
  const tasks = late.map(({ item, taskId }) => ({ item, taskId }));
  const signalItem = ({ key, attempt, taskId }: LateTask): Promise<void> => {
    const hold = holdName(runId, attempt);
    return logged({ key, hold, taskId }, () =>
      signal(mediaWorkflowId(key), acceptedSignal, { hold, taskId }),
    );
  };
  return logged({ tasks: late }, async () => {
    try {
      await signal(workflowId, lateTasksSignal, { tasks });
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      // Each item is logged by itself: one that is over must not hide what became of the others.
      await Promise.all(late.map(signalItem));
    }
  });
}

function orderedBy(): { workflowId: string; runId: string } {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  return { workflowId, runId };
}

/** Signals by workflow id alone: the run may have continued as new, or been reset. */
function signal<News>(workflowId: string, { name }: SignalDefinition<[News]>, news: News): Promise<void> {
  const { client } = Context.current();
  const handle = client.workflow.getHandle(workflowId);
  return retryTemporalCall(client, RETRY_FOR_MS, () => handle.signal<[News]>(name, news));
}

async function logged(facts: Record<string, unknown>, send: () => Promise<void>): Promise<void> {
  try {
    await send();
    countLateAnswer(metricMeter, true);
    log.warn('signalled a late answer to the run', facts);
  } catch (error) {
    countLateAnswer(metricMeter, false);
    log.error(
      'the service accepted a job, and its run took no signal; adopt the task with `segue resolve`, or it is paid for nothing',
      { ...facts, error },
    );
  }
}
