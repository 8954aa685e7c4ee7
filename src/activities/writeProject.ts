import { activityInfo, log } from '@temporalio/activity';
import { type Api } from '../api/client';
import { ApiError, StatusError } from '../api/errors';
import { LONGEST_CALL_MS, type WriteNote, type WriteOrder, type WriteReport } from '../contract';
import { stepRequestId } from '../contract/ids';
import { activityFailure } from './failures';
import { ProjectUpdate } from './projectUpdate';
import { Pulse } from './atMostOnce/heartbeat';
import { sleepThroughCancellation } from './sleep';

export interface WriteOptions {
  /** How long the service may take to answer one read or PATCH. */
  writeTimeoutMs?: number;
}

/**
 * Changes one project. Every attempt reads anew and applies what is missing, so running it again changes nothing.
 * The project itself stays here: the report has ids and words only.
 */
export function createWriteProject(api: Api, { writeTimeoutMs = LONGEST_CALL_MS }: WriteOptions) {
  return async function writeProject({ project, scope, changes }: WriteOrder): Promise<WriteReport> {
    const { workflowExecution, activityId, attempt } = activityInfo();
    const step = `writeProject-${activityId}.${attempt}`;
    let calls = 0;
    const nextCall = () => ({
      requestId: stepRequestId(workflowExecution?.workflowId ?? 'activity', `${step}.${++calls}`),
      timeoutMs: writeTimeoutMs,
    });
    const pulse = new Pulse();
    const update = new ProjectUpdate(api, project, scope, pulse, nextCall);
    try {
      await untilSettled();
      await update.settleAll(changes);
    } catch (error) {
      const { applied, refused } = update.report;
      // What is settled is told even so; the rest is asked again, and meets this trouble itself if it lasts.
      if (applied.length + refused.length === 0) throw asFailure(error);
    } finally {
      pulse.stop();
    }
    const { applied, refused, patches } = update.report;
    log.info('project written', { applied: applied.length, refused: refused.length, patches });
    return update.report;
  };
}

/** What gets here passes with time; only denied access is told at once, since that takes more of it. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const isDenied = error instanceof StatusError && [401, 403].includes(error.status);
  return activityFailure(error, { asksAgain: !isDenied });
}

/** A PATCH of an attempt that died may still be on its way; what is read before it arrives would be outdated. */
async function untilSettled(): Promise<void> {
  const note = activityInfo().heartbeatDetails as WriteNote | undefined;
  if (note && note.unsettledUntil > Date.now())
    await sleepThroughCancellation(note.unsettledUntil - Date.now());
}
