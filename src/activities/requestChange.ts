import { activityInfo, getClient } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ApiError, StatusError } from '../api/errors';
import { type OrganizationOf } from '../api/organization';
import { problemsOfScope } from '../api/scope';
import { problemsOfAddress, problemsOfChange } from '../changes';
import {
  changeSignal,
  type ChangeRequest,
  FAILURE,
  LONGEST_CALL_MS,
  PROJECT_WRITER_WORKFLOW,
  type RequestChangeOrder,
} from '../contract';
import { type Duration, parseDuration } from '../durations';
import { stepRequestId } from '../ids';
import { problemsOfProject } from '../inputs';
import { writerStart } from '../writerStart';
import { activityFailure } from './failures';

export interface RequestOptions {
  /** How long 401 and 403 are waited out: keys get rotated. */
  authGrace: Duration;
}

/** Hands a change of the calling workflow to the project's writer, and starts that where it does not run. */
export function createRequestChange(organizationOf: OrganizationOf, { authGrace }: RequestOptions) {
  return async function requestChange(order: RequestChangeOrder): Promise<void> {
    const { project, scope, changeId, change } = order;
    const { taskQueue, workflowExecution, activityId, attempt } = activityInfo();
    const workflowId = workflowExecution?.workflowId ?? 'activity';
    const request: ChangeRequest = { changeId, change, replyTo: workflowId, space: scope?.space };
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

    const requestId = stepRequestId(workflowId, `requestChange-${activityId}.${attempt}`);
    const organization = await organizationOf(scope, { requestId, timeoutMs: LONGEST_CALL_MS / 2 }).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? patientFailure(error, authGrace) : error;
      },
    );
    await getClient().workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
      ...writerStart({ taskQueue, project, organization, authGrace }),
      signal: changeSignal,
      signalArgs: [request],
    });
  };
}

/** Denied access is asked again for as long as the grace lasts. */
function patientFailure(error: ApiError, authGrace: Duration): ApplicationFailure {
  const isDenied = error instanceof StatusError && [401, 403].includes(error.status);
  const waited = Date.now() - activityInfo().scheduledTimestampMs;
  return activityFailure(error, { asksAgain: isDenied && waited < (parseDuration(authGrace) ?? 0) });
}
