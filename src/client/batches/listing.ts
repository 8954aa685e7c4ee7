/** Batches as Temporal lists them, each with what became of its items where it is over. */
import { type Client, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
import { BATCH_WORKFLOW, type BatchResult, type BatchStage, type ItemCounts } from '../../contract';
import { endOfBatch } from '../../runs/batch/end';
import { followCounts } from './left';
import { entryOf, type JobEntry, queryOf } from '../listing';
import { countRuns, findRuns } from '../../runs/ownRun';

export interface BatchFilter {
  stage?: BatchStage;
}

export interface BatchEntry extends Omit<JobEntry, 'stage'> {
  /** The last one that was listed. */
  stage: BatchStage | null;
  /** Of one that came to its end; how far another is, only its worker knows. */
  counts: ItemCounts | null;
}

/** Their partitions are runs of another kind. */
const ONLY_BATCHES = [BATCH_WORKFLOW];

export async function* listBatches(temporal: Client, filter: BatchFilter): AsyncGenerator<BatchEntry> {
  for await (const run of findRuns(temporal, queryOf(filter), ONLY_BATCHES)) {
    const entry = entryOf(run);
    const result = await resultOf(temporal, run);
    const { counts } = result ? await followCounts(temporal, entry.key, result) : { counts: null };
    const status = result && counts ? endOfBatch({ ...result, counts }).status : entry.status;
    const stage = entry.stage as BatchStage | null;
    yield { ...entry, status, stage, counts };
  }
}

export function countBatches(temporal: Client, filter: BatchFilter): Promise<number> {
  return countRuns(temporal, queryOf(filter), ONLY_BATCHES);
}

/** Whether items failed is not in the list, but in the result. No worker is asked. */
export async function resultOf(
  temporal: Client,
  { status, workflowId, runId }: Pick<WorkflowExecutionInfo, 'status' | 'workflowId' | 'runId'>,
): Promise<BatchResult | null> {
  if (status.name !== 'COMPLETED') return null;
  try {
    return (await temporal.workflow.getHandle(workflowId, runId).result()) as BatchResult;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
