import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  setHandler,
} from '@temporalio/workflow';
import { partitionResultsQuery, type PartitionInput, type PartitionResult } from '../contract';
import { batchPartWorkflowId } from '../contract/ids';
import { validatePartitionInput } from '../validation/inputs';
import { handleSending } from './steps/submit';
import { refuseUnsafeStart, requireInput } from './lib/refuse';
import { handleSlotGrant, keepAlive, reportToBatch, sendReports } from './partition/batchLink';
import { notifyUsers, resumeWrites } from './partition/finish';
import { pollItems } from './partition/poll';
import { handleLateTasks } from './partition/promote';
import { Partition } from './partition/state';
import { submitItems } from './partition/submit';

/**
 * Some hundred items of a batch: submitted in chunks as far as the batch grants slots, polled together, written to their
 * projects. An item that needs a person becomes a separate job.
 */
export async function batchPart(input: PartitionInput): Promise<PartitionResult> {
  requireInput(validatePartitionInput(input));
  refuseUnsafeStart(`${input.batch}~${input.n}`, batchPartWorkflowId(input.batch, input.n), input);
  const run = new Partition(input);
  setHandler(partitionResultsQuery, () => run.results(), {
    description: 'What became of the items so far, in the order of the manifest.',
  });
  handleSlotGrant(run);
  handleLateTasks(run);
  handleSending(run);

  // A cancelled partition waits for its chunks in flight: a POST cannot be undone.
  await CancellationScope.nonCancellable(() => conduct(run));
  return { n: input.n, counts: run.counts, items: run.results() };
}

async function conduct(run: Partition): Promise<void> {
  void keepAlive(run);
  resumeWrites(run);
  await Promise.all([submitItems(run), pollItems(run), sendReports(run), notifyUsers(run)]);
  await condition(() => run.promoting === 0 && run.isFinished && allHandlersFinished());
  if (run.left !== null) await continueAsNew<typeof batchPart>(run.nextInput());
  await reportToBatch(run);
  // Signals and queries may have come during the report.
  await condition(allHandlersFinished);
}
