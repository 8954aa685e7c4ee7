import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
import { validateBatchInput } from '../validation/inputs';
import { type BatchInput, type BatchResult, endStage } from '../contract';
import { batchWorkflowId } from '../contract/ids';
import { withEndReport } from './lib/listeners';
import { refuseUnsafeStart, requireInput } from './lib/refuse';
import { allocateSlots, handleReports, sendGrants, supervise, untilGrantsSent } from './batch/partitions';
import { Batch, carriedOf } from './batch/state';
import { forgetUnsent, notifyChanges, notifyEnd, setStage, showDetails, showStart } from './batch/visibility';
import { handleUpdates } from './batch/updates';

/** One batch: its partitions do the work; this run grants them slots, takes updates, and notifies people once for all items. */
export async function batch(input: BatchInput): Promise<BatchResult> {
  requireInput(validateBatchInput(input));
  refuseUnsafeStart(input.key, batchWorkflowId(input.key), input);

  const run = new Batch(input);
  handleReports(run);
  handleUpdates(run);
  showStart(run);

  // A cancelled batch waits for its partitions, which wait for POSTs in flight.
  return withEndReport(run.progress.listeners, () => CancellationScope.nonCancellable(() => conduct(run)));
}

async function conduct(run: Batch): Promise<BatchResult> {
  void supervise(run);
  for (;;) {
    await condition(() => run.hasWork);
    run.hasWork = false;
    allocateSlots(run);
    sendGrants(run);
    notifyChanges(run);
    showDetails(run);
    if (run.progress.partitions.every(({ isOver }) => isOver)) return finish(run);
    await continueWhenLong(run);
  }
}

async function finish(run: Batch): Promise<BatchResult> {
  const { progress, counts, stopped } = run;
  const { startedAt, incomplete } = progress;
  const isCancelled = progress.stage === 'cancelling';
  const status = isCancelled ? 'cancelled' : endStage({ counts, stopped, incomplete });
  setStage(run, status);
  forgetUnsent(run);
  notifyChanges(run);
  const finishedAt = progress.since;
  const notified = await notifyEnd(run, status);
  // A partition that starts now would wait for hours: its grant with `cancelled` stops it.
  do {
    sendGrants(run);
    await untilGrantsSent(run);
    await condition(() => run.noticesInFlight === 0 && allHandlersFinished());
  } while (run.ungranted.size > 0);
  const { key, manifest } = run.input;
  const { digest, items } = manifest;
  return { key, status, digest, items, counts, startedAt, finishedAt, notified, incomplete, stopped };
}

/** Partitions keep running, and signal the new run. */
async function continueWhenLong(run: Batch): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || run.noticesInFlight > 0) return;
  await untilGrantsSent(run);
  await condition(allHandlersFinished);
  // An update came in the meantime: this run sends its grants, which the next one would not know of.
  if (run.ungranted.size > 0 || run.grantsInFlight > 0 || run.noticesInFlight > 0) return;
  forgetUnsent(run);
  await continueAsNew<typeof batch>({ ...run.input, carried: carriedOf(run.progress) });
}
