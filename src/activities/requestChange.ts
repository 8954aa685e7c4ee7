import { activityInfo, getClient } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ApiError } from '../api/errors';
import { type OrganizationOf } from '../api/client';
import { problemsOfScope } from '../api/scope';
import { problemsOfAddress, problemsOfChange } from '../contract/changes';
import {
  changeSignal,
  type ChangeRequest,
  FAILURE,
  LONGEST_CALL_MS,
  PROJECT_WRITER_WORKFLOW,
  type RequestChangeOrder,
} from '../contract';
import { stepRequestId } from '../contract/ids';
import { problemsOfProject } from '../validation/inputs';
import { writerStart } from '../runs/writerStart';
import { type Patience, patientFailure } from './failures';
import { isStillWanted } from './atMostOnce/isStillActive';

/** Hands a change of the calling workflow to the project's writer, and starts that where it does not run. */
export function createRequestChange(organizationOf: OrganizationOf, patience: Patience) {
  const { authGrace } = patience;
  return async function requestChange(order: RequestChangeOrder): Promise<void> {
    const { project, scope, changeId, change, onlyBy, receipt } = order;
    const { taskQueue, workflowExecution, activityId, attempt } = activityInfo();
    const workflowId = workflowExecution?.workflowId ?? 'activity';
    const request: ChangeRequest = { changeId, change, replyTo: workflowId, receipt, space: scope?.space };
    const problems = [
      ...problemsOfProject(project),
      ...problemsOfScope(scope),
      ...problemsOfAddress(request),
      ...problemsOfChange(change),
    ];
    if (problems.length > 0)
      throw ApplicationFailure.nonRetryable(
        `The change was not sent: ${problems.join('; ')}`,
        FAILURE.badChange,
      );

    // Compared here: a workflow that does so itself does not replay when it is reset.
    if (onlyBy && onlyBy !== workflowExecution?.runId)
      throw ApplicationFailure.nonRetryable(
        'The change was not sent: the run was reset after it had seen what it would write, and others may have written since',
        FAILURE.outdated,
      );

    const requestId = stepRequestId(workflowId, `requestChange-${activityId}.${attempt}`);
    const organization = await organizationOf(scope, { requestId, timeoutMs: LONGEST_CALL_MS / 2 }).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? patientFailure(error, patience) : error;
      },
    );
    // An attempt that was given up or called back meanwhile would undo what was written since.
    if (!(await isStillWanted()))
      throw ApplicationFailure.retryable('Temporal waits for this attempt no more');
    await getClient().workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
      ...writerStart({ taskQueue, project, organization, authGrace }),
      signal: changeSignal,
      signalArgs: [request],
    });
  };
}
