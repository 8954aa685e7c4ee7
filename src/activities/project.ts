/** Changes of projects: a run requests them from the writers, and the writers write them. */
import { activityInfo, getClient, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type Api, type OrganizationOf } from '../api/client';
import { ApiError, StatusError, TransportError } from '../api/errors';
import { bytesOf } from '../api/json';
import { validateScope } from '../api/scope';
import { validateChange, validateRequest } from '../contract/changes';
import {
  type ChangeRequest,
  changesSignal,
  DEFAULT_WRITES,
  FAILURE,
  LONGEST_CALL_MS,
  PROJECT_WRITER_WORKFLOW,
  type RefusedChange,
  type RequestChangesOrder,
  type WriteOrder,
  type WriteReport,
  type WriteTrouble,
} from '../contract';
import { shardOf } from '../contract/ids';
import { inParallel } from '../platform/parallel';
import { writerStart } from '../runs/writerStart';
import { isActiveAndNotCancelled } from './atMostOnce/isStillActive';
import { callOptions } from './calls';
import { type Patience, patientFailure } from './lib/failures';
import { ProjectUpdate } from './lib/projectUpdate';
import { UnsettledError, WriteAttempt, type WriteOptions } from './lib/writeAttempt';
import { Slots } from './protection/slots';

/** Of one signal; a larger change goes alone. */
const LARGEST_SIGNAL_BYTES = 256 * 1024;
const SIGNALS_AT_ONCE = 8;

/** Signals changes of the calling workflow to the writers of their shards, and starts the writers that do not run. */
export function createRequestChanges(organizationOf: OrganizationOf, patience: Patience) {
  return async function requestChanges(order: RequestChangesOrder): Promise<RefusedChange[]> {
    const { scope, onlyBy } = order;
    const { workflowExecution, taskQueue } = activityInfo();
    // Compared here: a workflow that compares run ids itself does not replay after a reset.
    if (onlyBy && onlyBy !== workflowExecution?.runId)
      throw ApplicationFailure.nonRetryable(
        'The change was not sent: the run was reset after it had seen what it would write, and others may have written since',
        FAILURE.outdated,
      );
    const { refused, good } = sortOut(order);
    if (good.length === 0) return refused;
    const { requestId } = callOptions('requestChanges', {});
    const organization = await organizationOf(scope, { requestId, timeoutMs: LONGEST_CALL_MS / 2 }).catch(
      (error: unknown) => {
        throw error instanceof ApiError ? patientFailure(error, patience) : error;
      },
    );
    // An attempt that was given up or cancelled meanwhile would undo what was written since.
    if (!(await isActiveAndNotCancelled()))
      throw ApplicationFailure.retryable('Temporal no longer waits for this attempt');
    const replyTo = workflowExecution?.workflowId;
    const { authGrace } = patience;
    await inParallel(SIGNALS_AT_ONCE, signalsOf(good), async ({ shard, requests }) => {
      await getClient().workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
        ...writerStart({ taskQueue, organization, shard, authGrace }),
        signal: changesSignal,
        signalArgs: [{ requests, replyTo }],
      });
    });
    return refused;
  };
}

/** A malformed change must not keep the others back. */
function sortOut({ scope, requests }: RequestChangesOrder): {
  good: ChangeRequest[];
  refused: RefusedChange[];
} {
  const good: ChangeRequest[] = [];
  const refused: RefusedChange[] = [];
  for (const { project, changeId, change } of requests) {
    const request = { project, changeId, change, space: scope?.space };
    const problems = [
      ...validateScope(scope),
      ...validateRequest(request),
      ...(change === undefined ? [] : validateChange(change)),
    ];
    if (problems.length === 0) good.push(request);
    else refused.push({ changeId, error: `The change was not sent: ${problems.join('; ')}` });
  }
  return { good, refused };
}

/** The signals by which the writers get the changes: one for each shard, split by size. */
function signalsOf(requests: ChangeRequest[]): { shard: number; requests: ChangeRequest[] }[] {
  const signals: { shard: number; requests: ChangeRequest[]; bytes: number }[] = [];
  for (const request of requests) {
    const shard = shardOf(request.project);
    const bytes = bytesOf(request);
    const open = signals.findLast((signal) => signal.shard === shard);
    if (open && open.bytes + bytes <= LARGEST_SIGNAL_BYTES) {
      open.requests.push(request);
      open.bytes += bytes;
    } else signals.push({ shard, requests: [request], bytes });
  }
  return signals;
}

/** Projects that one activity writes at a time. */
const PROJECTS_AT_ONCE = 20;

/**
 * Changes up to 50 projects. Every write reads the project anew and applies what is missing, so writing again changes
 * nothing. The projects' data stays in this process: the reports have ids and messages only.
 */
export function createWriteProjects(api: Api, options: WriteOptions) {
  const limits = {
    writeTimeoutMs: options.writeTimeoutMs ?? LONGEST_CALL_MS,
    maxProjectMiB: options.maxProjectMiB ?? DEFAULT_WRITES.maxProjectMiB,
    writeSlots: options.writeSlots ?? new Slots(DEFAULT_WRITES.maxWrites),
  };
  return async function writeProjects({ organization, projects }: WriteOrder): Promise<WriteReport[]> {
    const attempt = new WriteAttempt(limits, projects.length === 1);
    try {
      const entries = [...projects.entries()];
      return await inParallel(PROJECTS_AT_ONCE, entries, async ([index, { project, space, changes }]) => {
        const update = new ProjectUpdate(api, project, { organization, space }, attempt.callsFor(index));
        const { applied, refused } = update;
        try {
          await update.settleAll(changes);
          return { applied, refused };
        } catch (error) {
          const trouble = troubleOf(error, attempt);
          log.warn('a project was not written', { ...project, ...trouble });
          return { applied, refused, trouble };
        }
      });
    } finally {
      attempt.end();
    }
  };
}

function troubleOf(error: unknown, { isAlone }: WriteAttempt): WriteTrouble {
  const cause = error instanceof UnsettledError ? error.failure : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  const { status, retryAfterMs } = cause instanceof StatusError ? cause : {};
  // Beside others it had only a short time.
  const isSlow = !isAlone && cause instanceof TransportError && cause.timedOut;
  const unsettledUntil = error instanceof UnsettledError ? error.until : undefined;
  return { error: message, status, retryAfterMs, unsettledUntil, isSlow };
}
