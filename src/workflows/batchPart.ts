import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  setHandler,
} from '@temporalio/workflow';
import { partitionResultsQuery, type PartitionInput, type PartitionResult } from '../contract';
import { batchPartWorkflowId } from '../contract/ids';
import { problemsOfPartitionInput } from '../validation/batch';
import { jobTimes } from '../validation/times';
import { handleSending } from './steps/submit';
import { readSettings, refusePlainStart, refuseUnsafeStart, START_BATCHES_BY_CLIENT } from './steps/job';
import { handleLateTasks } from './partition/leaving';
import { isAnybodyUntold, tellUsers } from './partition/notices';
import { pollItems } from './partition/polling';
import { reportNews, speakNowAndThen, tellBatch } from './partition/reporting';
import {
  countsOf,
  isAtEnd,
  isDone,
  isOver,
  isWriting,
  type Partition,
  resultsOf,
  startPartition,
} from './partition/run';
import { submitItems } from './partition/submitting';
import { handleWindow } from './partition/window';
import { goOnWriting, takeAnswersAlong } from './partition/writing';

/**
 * Some hundred items of a batch: submitted in chunks as far as the batch gives it places, polled together, their
 * results kept here and written to their projects. What needs a person leaves it, as a run of its own.
 */
export async function batchPart(input: PartitionInput): Promise<PartitionResult> {
  const settings = readSettings(problemsOfPartitionInput(input), (reader) => jobTimes(input, reader));
  refuseUnsafeStart(`${input.batch}~${input.n}`, batchPartWorkflowId(input.batch, input.n), input);
  refusePlainStart(`${input.batch}~${input.n}`, START_BATCHES_BY_CLIENT);
  const run = startPartition(input, settings);
  setHandler(partitionResultsQuery, () => resultsOf(run), {
    description: 'What became of the items so far, in the order of the manifest.',
  });
  handleWindow(run);
  handleLateTasks(run);
  handleSending(run);

  // Cancelled, it still waits for what is on its way: a POST cannot be called back.
  await CancellationScope.nonCancellable(async () => {
    void speakNowAndThen(run);
    goOnWriting(run);
    await Promise.all([submitItems(run), pollItems(run), reportNews(run), tellUsers(run)]);
    await condition(() => run.leaving === 0 && isAtEnd(run) && allHandlersFinished());
    if (!isDone(run) || isWriting(run) || isAnybodyUntold(run))
      await continueAsNew<typeof batchPart>(nextInput(run));
    await tellBatch(run);
    // Who asked something of the run, or told it something, meanwhile.
    await condition(allHandlersFinished);
  });
  return { n: input.n, counts: countsOf(run), items: resultsOf(run) };
}

/** What is over needs no request any more. */
function nextInput(run: Partition): PartitionInput {
  const { input, progress } = run;
  takeAnswersAlong(run);
  const items = input.items.map((item, place) => {
    const known = progress.items[place];
    const { key, tool, notify } = item;
    return known && isOver(known) ? { key, tool, request: {}, notify } : item;
  });
  return { ...input, items, carried: progress };
}
