/** Changes of projects: a run requests one from the project's writer, and the writer writes it. */
import { setTimeout as sleepThroughCancellation } from 'node:timers/promises';
import { activityInfo, getClient, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Api, type OrganizationOf } from '../api/client';
import { ApiError } from '../api/errors';
import { validateScope } from '../api/scope';
import { validateAddress, validateChange } from '../contract/changes';
import {
  type ChangeRequest,
  changeSignal,
  FAILURE,
  LONGEST_CALL_MS,
  PROJECT_WRITER_WORKFLOW,
  type SegueActivities,
  type WriteNote,
} from '../contract';
import { writerStart } from '../runs/start';
import { validateProject } from '../validation/inputs';
import { Heartbeat } from './atMostOnce/heartbeat';
import { isActiveAndNotCancelled } from './atMostOnce/server';
import { callOptions } from './calls';
import { activityFailure, isDenial, type Patience, patientFailure } from './lib/failures';
import { ProjectUpdate } from './lib/projectUpdate';

/** Signals a change of the calling workflow to the project's writer, and starts the writer where it does not run. */
export function createRequestChange(
  organizationOf: OrganizationOf,
  patience: Patience,
): SegueActivities['requestChange'] {
  const { authGrace } = patience;
  return async ({ project, scope, changeId, change, onlyBy, receipt }) => {
    const { taskQueue, workflowExecution } = activityInfo();
    const workflowId = workflowExecution?.workflowId ?? 'activity';
    const request: ChangeRequest = { changeId, change, replyTo: workflowId, receipt, space: scope?.space };
    const problems = [
      ...validateProject(project),
      ...validateScope(scope),
      ...validateAddress(request),
      ...validateChange(change),
    ];
    if (problems.length > 0)
      throw ApplicationFailure.nonRetryable(
        `The change was not sent: ${problems.join('; ')}`,
        FAILURE.badChange,
      );

    // Compared here: a workflow that compares run ids itself does not replay after a reset.
    if (onlyBy && onlyBy !== workflowExecution?.runId)
      throw ApplicationFailure.nonRetryable(
        'The change was not sent: the run was reset after it had seen what it would write, and others may have written since',
        FAILURE.outdated,
      );

    const { requestId } = callOptions('requestChange', {});
    const organization = await organizationOf(scope, { requestId, timeoutMs: LONGEST_CALL_MS / 2 }).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? patientFailure(error, patience) : error;
      },
    );
    // An attempt that has been given up or cancelled would undo later writes.
    if (!(await isActiveAndNotCancelled()))
      throw ApplicationFailure.retryable('Temporal no longer waits for this attempt');
    await getClient().workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
      ...writerStart({ taskQueue, project, organization, authGrace }),
      signal: changeSignal,
      signalArgs: [request],
    });
  };
}

export interface WriteOptions {
  /** How long the service may take to answer one read or PATCH. */
  writeTimeoutMs?: number;
}

/**
 * Changes one project. Every attempt reads again and applies what is missing, so running it again changes nothing.
 * The project's data stays in this process: the report has ids and messages only.
 */
export function createWriteProject(
  api: Api,
  { writeTimeoutMs = LONGEST_CALL_MS }: WriteOptions,
): SegueActivities['writeProject'] {
  return async ({ project, scope, changes }) => {
    const { requestId } = callOptions('writeProject', {});
    let calls = 0;
    const nextCall = () => ({ requestId: `${requestId}.${++calls}`, timeoutMs: writeTimeoutMs });
    const heartbeat = new Heartbeat();
    const update = new ProjectUpdate(api, project, scope, heartbeat, nextCall);
    const { report } = update;
    try {
      await untilSettled();
      await update.settleAll(changes);
    } catch (error) {
      // Settled changes are reported even so. The writer asks for the rest again, and meets this error if it lasts.
      if (report.applied.length + report.refused.length === 0) throw asFailure(error);
    } finally {
      heartbeat.stop();
    }
    const { applied, refused, patches } = report;
    log.info('project written', { applied: applied.length, refused: refused.length, patches });
    return report;
  };
}

/** Errors that get here pass with time. Only denied access fails at once: the writer waits longer for that. */
function asFailure(error: unknown): unknown {
  return error instanceof ApiError ? activityFailure(error, { mayRetry: !isDenial(error) }) : error;
}

/**
 * A PATCH of an attempt that died may still arrive, and outdate a read before it. A cancelled attempt waits too: it may be
 * the last one, and only it knows the note.
 */
async function untilSettled(): Promise<void> {
  const note = activityInfo().heartbeatDetails as WriteNote | undefined;
  if (note && note.unsettledUntil > Date.now())
    await sleepThroughCancellation(note.unsettledUntil - Date.now());
}
