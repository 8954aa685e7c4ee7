import { ApplicationFailure, continueAsNew } from '@temporalio/workflow';
import { FAILURE, type RunRequest } from '../contract';
import { isRecord } from '../validation/inputs';
import { untilRequestedEnds } from './lib/requests';

const KINDS: readonly unknown[] = [
  'media',
  'transcript',
  'record',
  'campaign',
  'batch',
] satisfies RunRequest['kind'][];

/**
 * A run of any kind for callers through Nexus. It starts the one run of the key, or finds it, and returns that run's
 * result. Cancelling the request does not cancel the run.
 */
export async function runRequest(request: RunRequest): Promise<object> {
  if (!isRecord(request) || !KINDS.includes(request.kind) || !isRecord(request.spec))
    throw ApplicationFailure.nonRetryable(
      `must be { kind, spec }, with a kind of ${KINDS.join(', ')}`,
      FAILURE.badInput,
    );
  return untilRequestedEnds(request, () => continueAsNew<typeof runRequest>(request));
}
