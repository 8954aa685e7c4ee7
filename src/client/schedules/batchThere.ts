/** The batch that the time of a firing has already. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type BatchInput, type ScheduledBatch } from '../../contract';
import { digest } from '../../platform/digest';
import { batchWorkflowId } from '../../contract/ids';
import { missingPartitions } from '../batches/given';
import { addressName } from '../batches/manifest/addressForm';
import { batchInput } from '../batches/handedOver';
import { withoutGaps } from '../jobs/mediaSpec';
import { type RunFacts } from '../run';
import { isOpen } from '../../runs/ownRun';

/** What a schedule asks for, under the key of one firing. */
export type AskedBatch = ScheduledBatch & { key: string };
/** Its run, the digest of its manifest and, of who read that, what in it may not be meant so. */
export type StartedBatch = RunFacts & { digest: string; warnings?: string[] };

export interface BatchThere {
  run: StartedBatch;
  /** How many partitions it still waits for. */
  missing: number;
}

/** Only where it is of the same address and for the same people; what was in the manifest does not matter. */
export async function lookForBatch(
  temporal: Client,
  asked: AskedBatch,
  token: string | undefined,
): Promise<BatchThere | undefined> {
  const { key } = asked;
  const workflowId = batchWorkflowId(key);
  try {
    const { memo, status, ...facts } = await temporal.workflow.getHandle(workflowId).describe();
    const input = await batchInput(temporal, key);
    if (askOf(input) !== askOf({ ...asked, source: addressName(asked.manifest) })) return undefined;
    const { manifest } = input;
    const run = { ...facts, key, existing: memo?.segueStart !== token, digest: manifest.digest };
    const missing = isOpen({ status }) ? await missingPartitions(temporal, { key, manifest }) : [];
    return { run, missing: missing.length };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function askOf({ source, scope, notify }: Pick<BatchInput, 'source' | 'scope' | 'notify'>): string {
  return digest({ source, scope: withoutGaps(scope), notify: notify ?? undefined });
}
