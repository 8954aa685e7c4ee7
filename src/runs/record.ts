/** A wait for the end of a record: what can be wrong with it, and how it is started once. */
import { type Client } from '@temporalio/client';
import { FAILURE, RECORD_WORKFLOW, type RecordInput } from '../contract';
import { recordKey, recordWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { assertValid } from '../errors';
import { digest } from '../platform/digest';
import { validatePoll, validateRecordInput, withoutNulls } from '../validation/inputs';
import { endOfRun, failureType, type RunFacts } from './find';
import { normalizeScope } from './media';
import { startOrFind, type StartSettings } from './start';

export type RecordSpec = Pick<RecordInput, 'kind' | 'id' | 'failOn' | 'scope' | 'poll'>;

/**
 * Starts the wait, or gives back the one that the record already has. Waiting costs nothing, so a closed wait that
 * never learned the end, or had another spec, is replaced.
 */
export async function startRecord(
  temporal: Client,
  spec: RecordSpec,
  { taskQueue, poll }: StartSettings,
): Promise<RunFacts> {
  assertValid(validateRecord(spec), 'The wait was not started');
  const { kind, id, failOn } = spec;
  const scope = normalizeScope(spec.scope);
  const input: RecordInput = {
    ...{ kind, id, failOn, scope },
    poll: { ...poll, ...withoutNulls(spec.poll ?? {}) },
  };
  const key = recordKey(kind, id);
  const workflowId = recordWorkflowId(key);
  return startOrFind(temporal, {
    workflow: RECORD_WORKFLOW,
    ...{ workflowId, taskQueue, key, input, identityOf },
    attributes: attributesOfJob({ tool: kind, scope }, 'polling'),
    summary: `wait for ${kind} ${id}`,
    adviceOnReuse: 'wait as it does, or cancel that run first',
    mayReplace: async (closed, isSameJob) => !isSameJob || !(await learnedTheEnd(temporal, closed)),
  });
}

async function learnedTheEnd(
  temporal: Client,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<boolean> {
  const end = await endOfRun(temporal.workflow.getHandle(workflowId, runId));
  return 'result' in end || failureType(end.failure) === FAILURE.recordFailed;
}

function identityOf({ kind, id, failOn = [], scope }: RecordInput): string {
  const named = [...new Set(failOn.map(String))].sort();
  return digest({ kind, id, failOn: named, scope: normalizeScope(scope) });
}

export function validateRecord({ poll, ...asked }: RecordSpec): string[] {
  return [...validateRecordInput(asked), ...validatePoll(poll)];
}
