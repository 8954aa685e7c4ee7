import { activityInfo, getClient } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, type MetricMeter } from '@temporalio/common';
import { keyOfFiring } from '../schedules/clockChanges';
import { problemsOfSchedule } from '../client/schedules/spec';
import { startTarget } from '../client/schedules/targets';
import { FAILURE, type FiredRun, reportToSignal, type StartFiredOrder } from '../contract';
import { InvalidInputError, KeyReusedError } from '../errors';
import { meterSkippedFirings } from './skippedFirings';

/**
 * Starts what a firing is for, as any client does: under the key of its time, so that a run that is there already is
 * found and not started again. It is asked to tell the firing its end.
 */
export function createStartFired(meter: MetricMeter) {
  return async function startFired(order: StartFiredOrder): Promise<FiredRun> {
    const { schedule, target, poll, submit } = order;
    const { taskQueue, workflowExecution } = activityInfo();
    await meterSkippedFirings(meter, schedule);
    // Other languages make schedules too.
    const problems = problemsOfSchedule(schedule, order);
    if (problems.length > 0) throw refused(new InvalidInputError(problems, 'Nothing was started'));
    const client = getClient();
    const run = await startTarget(client, target, {
      key: keyOfFiring(order, order),
      // The same in every attempt: what an attempt before this one started is not an old run.
      token: workflowExecution?.runId,
      ...{ taskQueue, poll, submit },
    }).catch((error: unknown) => {
      throw error instanceof KeyReusedError ? refused(error) : error;
    });
    await askToBeTold(client, run.workflowId, workflowExecution?.workflowId ?? '');
    const { key, workflowId, runId, existing } = run;
    return { key, workflowId, runId, existing };
  };
}

async function askToBeTold(client: Client, workflowId: string, listener: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(reportToSignal, { workflowId: listener });
  } catch (error) {
    // It is over; its end is read like any other.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

function refused({ message }: Error): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURE.badInput);
}
