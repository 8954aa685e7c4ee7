/** Changes of projects: a run requests them from the writers of their shards, and the writers write them. */
import { activityInfo, getClient, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Api, type OrganizationOf } from '../api/client';
import { ApiError, StatusError } from '../api/errors';
import { bytesOf } from '../api/json';
import {
  type ChangeRequest,
  changesSignal,
  LONGEST_CALL_MS,
  OUTDATED_CHANGE,
  PROJECT_WRITER_WORKFLOW,
  type SegueActivities,
  type WriteOrder,
  type WriteReport,
  type WriteTrouble,
} from '../contract';
import { DEFAULT_WRITES } from '../config';
import { shardOf } from '../contract/ids';
import { reasonOf } from '../errors';
import { inParallel } from '../platform/parallel';
import { writerStart } from '../runs/start';
import { isActiveAndNotCancelled } from './atMostOnce/server';
import { callOptions } from './lib/calls';
import { type AuthGrace, patientFailure } from './lib/failures';
import { ProjectUpdate, UnsettledError } from './lib/projectUpdate';
import { WriteAttempt, type WriteLimits } from './lib/writeAttempt';
import { Slots } from './protection/slots';

/** Of one signal; a larger change goes alone. */
const LARGEST_SIGNAL_BYTES = 256 * 1024;
const SIGNALS_AT_ONCE = 8;

/** Signals changes of the calling workflow to the writers of their shards, and starts the writers that do not run. */
export function createRequestChanges(
  organizationOf: OrganizationOf,
  patience: AuthGrace,
): SegueActivities['requestChanges'] {
  const { authGrace } = patience;
  return async ({ scope, requests, onlyBy }) => {
    const { taskQueue, workflowExecution } = activityInfo();
    // Compared here: a workflow that compares run ids itself does not replay after a reset.
    if (onlyBy && onlyBy !== workflowExecution?.runId)
      return requests.map(({ changeId }) => ({ changeId, error: OUTDATED_CHANGE }));
    const { requestId } = callOptions('requestChanges', {});
    const organization = await organizationOf(scope, { requestId, timeoutMs: LONGEST_CALL_MS / 2 }).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? patientFailure(error, patience) : error;
      },
    );
    // An attempt that has been given up or cancelled would undo later writes.
    if (!(await isActiveAndNotCancelled()))
      throw ApplicationFailure.retryable('Temporal no longer waits for this attempt');
    const replyTo = workflowExecution?.workflowId;
    const inScope = requests.map((request) => ({ ...request, space: scope?.space }));
    // The writer validates the changes.
    await inParallel(SIGNALS_AT_ONCE, signalsOf(inScope), async ({ shard, requests: some }) => {
      await getClient().workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
        ...writerStart({ taskQueue, organization, shard, authGrace }),
        signal: changesSignal,
        signalArgs: [{ requests: some, replyTo }],
      });
    });
    return [];
  };
}

/** One signal for each shard, split by size. */
function signalsOf(requests: ChangeRequest[]): { shard: number; requests: ChangeRequest[] }[] {
  const signals: { shard: number; requests: ChangeRequest[]; bytes: number }[] = [];
  for (const request of requests) {
    const [shard, bytes] = [shardOf(request.project), bytesOf(request)];
    const open = signals.findLast((signal) => signal.shard === shard);
    if (open && open.bytes + bytes <= LARGEST_SIGNAL_BYTES) {
      open.requests.push(request);
      open.bytes += bytes;
    } else signals.push({ shard, requests: [request], bytes });
  }
  return signals;
}

/** Of one activity. */
const PROJECTS_AT_ONCE = 20;

export interface WriteOptions extends WriteLimits {
  /** Projects that this process reads and writes at once; a fifth of the slots is for slow projects. */
  maxWrites?: number;
}

/**
 * Changes up to 50 projects. Every attempt reads anew and applies what is missing, so running it again changes nothing.
 * The projects' data stays in this process: the reports have ids and messages only.
 */
export function createWriteProjects(
  api: Api,
  organizationOf: OrganizationOf,
  { maxWrites = DEFAULT_WRITES.maxWrites, ...limits }: WriteOptions,
): SegueActivities['writeProjects'] {
  const forSlow = Math.max(1, Math.floor(maxWrites / 5));
  const slow = new Slots(forSlow);
  const usual = new Slots(Math.max(1, maxWrites - forSlow));
  return async ({ organization, projects, isSlow }) => {
    const attempt = new WriteAttempt(limits, isSlow);
    const slots = isSlow ? slow : usual;
    try {
      const scope = { organization };
      const known = await organizationOf(scope, attempt.next(scope));
      if (known !== organization)
        throw new WrongWriterIdError(`the service calls this workspace ${known}, not ${organization}`);
      return await inParallel(PROJECTS_AT_ONCE, [...projects.entries()], ([index, order]) =>
        slots.use(() => writeOne(api, attempt, index, { organization, ...order })),
      );
    } catch (error) {
      // The workspace cannot be read, so nothing was written.
      return projects.map((order, index) => unwritten(order, error, attempt.unsettledMs(index)));
    } finally {
      attempt.end();
    }
  };
}

type OneOrder = WriteOrder['projects'][number];

async function writeOne(
  api: Api,
  attempt: WriteAttempt,
  index: number,
  { organization, project, space, changes }: OneOrder & { organization: string },
): Promise<WriteReport> {
  const unsettledMs = attempt.unsettledMs(index);
  if (unsettledMs > 0) {
    const error = 'a PATCH of an earlier attempt may still arrive';
    return { applied: [], refused: [], trouble: { error, unsettledMs } };
  }
  const calls = attempt.callsFor(index, { organization, space });
  const update = new ProjectUpdate(api, project, calls);
  try {
    await update.settleAll(changes);
    return { applied: update.applied, refused: update.refused };
  } catch (error) {
    const trouble = troubleOf(error, calls.isSlow());
    log.warn('a project was not written', { ...project, ...trouble });
    return { applied: update.applied, refused: update.refused, trouble };
  }
}

/** A writer under another id than the workspace's own would write beside the right one. */
class WrongWriterIdError extends Error {}

function unwritten({ changes }: OneOrder, error: unknown, unsettledMs: number): WriteReport {
  // A status of the workspace says nothing about the changes of its projects.
  if (!(error instanceof WrongWriterIdError))
    return { applied: [], refused: [], trouble: { ...troubleOf(error, false), unsettledMs } };
  const { message } = error;
  return { applied: [], refused: changes.map(({ changeId }) => ({ changeId, error: message })) };
}

function troubleOf(error: unknown, isSlow: boolean): WriteTrouble {
  const cause = error instanceof UnsettledError ? error.failure : error;
  const { status, retryAfterMs } = cause instanceof StatusError ? cause : {};
  const unsettledMs = error instanceof UnsettledError ? error.until - Date.now() : undefined;
  return { error: reasonOf(cause), status, retryAfterMs, unsettledMs, isSlow };
}
