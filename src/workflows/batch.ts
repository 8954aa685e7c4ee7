import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
import { problemsOfBatchInput } from '../validation/batch';
import { type BatchInput, type BatchResult } from '../contract';
import { batchWorkflowId } from '../contract/ids';
import { withEndReport } from './lib/listeners';
import { badInput } from './steps/job';
import { refusePlainStart, refuseUnsafeStart, START_BATCHES_BY_CLIENT } from './steps/job';
import { carriedOf } from './batch/carrying';
import { handleEndOfHandOver } from './batch/handOver';
import { handleNews, lookNowAndThen } from './batch/looking';
import { goOnTelling, tellEnd, tellWhatIsNew } from './batch/notices';
import { handleOrders } from './batch/orders';
import { sendWindows, sharePlaces, untilWindowsSent } from './batch/places';
import { type Batch, countsOf, isAllOver, startBatch, stoppedOf } from './batch/run';
import { enterStage, showDetails, showStart } from './batch/stage';

/**
 * One batch: its partitions do the work, and this run gives each as many places at the service as there are, takes the
 * orders of people, and tells them once what became of all.
 */
export async function batch(input: BatchInput): Promise<BatchResult> {
  const problems = problemsOfBatchInput(input);
  if (problems.length > 0) throw badInput(problems);
  refuseUnsafeStart(input.key, batchWorkflowId(input.key), input);
  refusePlainStart(input.key, START_BATCHES_BY_CLIENT);

  const run = startBatch(input);
  handleNews(run);
  handleEndOfHandOver(run);
  handleOrders(run);
  showStart(run);

  // Cancelled, it waits for its partitions, which wait for what is on its way to the service.
  return withEndReport(run.progress.listeners, () => CancellationScope.nonCancellable(() => conduct(run)));
}

async function conduct(run: Batch): Promise<BatchResult> {
  void lookNowAndThen(run);
  goOnTelling(run);
  for (;;) {
    await condition(() => run.hasWork);
    run.hasWork = false;
    sharePlaces(run);
    sendWindows(run);
    tellWhatIsNew(run);
    showDetails(run);
    if (isAllOver(run)) return finish(run);
    await continueWhenLong(run);
  }
}

async function finish(run: Batch): Promise<BatchResult> {
  const { input, progress } = run;
  const counts = countsOf(run);
  const status = progress.stage === 'cancelling' ? 'cancelled' : counts.held > 0 ? 'attention' : 'completed';
  enterStage(run, status);
  const { startedAt, since: finishedAt, incomplete } = progress;
  const notified = await tellEnd(run, status);
  // A partition that came meanwhile would wait for hours: whoever comes before the last look is told to stop.
  do {
    sendWindows(run);
    await untilWindowsSent(run);
    await condition(() => progress.notices.length === 0 && allHandlersFinished());
  } while (run.untold.size > 0);
  const { digest, items } = input.manifest;
  const { key } = input;
  const stopped = stoppedOf(run);
  return { key, status, digest, items, counts, startedAt, finishedAt, notified, incomplete, stopped };
}

/** Continues as new before the history grows past what the server takes; partitions go on, and find the new run. */
async function continueWhenLong(run: Batch): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || run.notices > 0) return;
  await untilWindowsSent(run);
  await condition(allHandlersFinished);
  // Ordered in the meantime: this run tells it to the partitions, since the next one would not know.
  if (run.untold.size > 0 || run.windows > 0 || run.notices > 0) return;
  await continueAsNew<typeof batch>({ ...run.input, carried: carriedOf(run) });
}
