/** For the workflow `mediaRequest`: starts a job as Segue's client does, and reads its end. */
import { activityInfo, getClient } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE, type MediaResult, type SegueActivities } from '../contract';
import { mediaWorkflowId } from '../contract/ids';
import { startMedia as startMediaJob } from '../runs/media';
import { failedRun, findOwnRun, isOpen } from '../runs/find';
import { inputFailure } from './lib/failures';
import { subscribeToEnd, untilEnded } from './runs';

export const startMedia: SegueActivities['startMedia'] = async ({ submit, ...spec }) => {
  const { taskQueue, workflowExecution } = activityInfo();
  const client = getClient();
  try {
    const { key } = await startMediaJob(client, spec, { taskQueue, submit });
    const workflowId = mediaWorkflowId(key);
    const isOver = !(await subscribeToEnd(client, workflowId, workflowExecution?.workflowId ?? ''));
    return { workflowId, isOver };
  } catch (error) {
    throw inputFailure(error) ?? error;
  }
};

export const readMediaResult: SegueActivities['readMediaResult'] = async ({ workflowId, isEnding }) => {
  const client = getClient();
  if (isEnding) await untilEnded(client, workflowId);
  const run = await findOwnRun(client, workflowId);
  if (!run)
    throw ApplicationFailure.nonRetryable(
      `Temporal no longer has ${workflowId}: deleted, or past retention`,
      FAILURE.givenUp,
    );
  if (isOpen(run)) return null;
  try {
    return (await client.workflow.getHandle(workflowId, run.runId).result()) as MediaResult;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof ApplicationFailure)
      throw ApplicationFailure.nonRetryable(cause.message, cause.type, ...(cause.details ?? []));
    const { status, error: reason } = failedRun(error);
    throw ApplicationFailure.nonRetryable(`${workflowId} ended as ${status}: ${reason}`, FAILURE.givenUp);
  }
};
