/** What people order of a running batch. */
import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import { problemsOfBatchOrder, problemsOfConcurrencyOrder } from '../../validation/batch';
import {
  batchCancelUpdate,
  batchConcurrencyUpdate,
  type BatchOrder,
  batchPartitionsQuery,
  batchPauseUpdate,
  batchResumeUpdate,
  type BatchStatus,
  batchStatusQuery,
  FAILURE,
} from '../../contract';
import { isLarge, tellEverybody } from './places';
import { type Batch, describe, giveUpAbsent } from './run';
import { enterStage } from './stage';

export function handleOrders(run: Batch): void {
  setHandler(batchStatusQuery, () => describe(run), {
    description: 'How the batch stands: stage, items by what became of them, trouble.',
  });
  setHandler(
    batchPartitionsQuery,
    () => run.progress.partitions.map(({ isThere, isOver, counts }) => ({ isThere, isOver, counts })),
    { description: 'What it knows of each of its partitions: [{ isThere, isOver, counts }].' },
  );
  setHandler(batchPauseUpdate, (order) => pause(run, order), {
    description: 'Submits nothing more until it is resumed: { by, reason? }. What is at the service goes on.',
    validator: (order) => {
      const { paused } = run.progress;
      refuse(run, problemsOfBatchOrder(order), paused ? [`it is paused already, by ${paused.by}`] : []);
    },
  });
  setHandler(batchResumeUpdate, () => resume(run), {
    description: 'Goes on after a pause: { by, reason? }.',
    validator: (order) => {
      refuse(run, problemsOfBatchOrder(order), run.progress.paused ? [] : ['it is not paused']);
    },
  });
  setHandler(batchCancelUpdate, () => cancel(run), {
    description:
      'Submits nothing more and ends: { by, reason? }. What the service accepted goes on there; its tasks stand in the results.',
    validator: (order) => {
      refuse(run, problemsOfBatchOrder(order));
    },
  });
  setHandler(batchConcurrencyUpdate, (order) => setConcurrency(run, order), {
    description: 'Changes how many items are at the service at once: { concurrency, by, reason? }.',
    validator: (order) => {
      refuse(run, problemsOfConcurrencyOrder(order));
    },
  });
  void CancellationScope.current().cancelRequested.catch(() => {
    // One that is over stays what it became, though somebody is still being told so.
    if (isOpen(run)) cancel(run);
  });
}

function pause(run: Batch, { by, reason }: BatchOrder): BatchStatus {
  run.progress.paused ??= { by, reason: reason ?? '', since: new Date().toISOString() };
  enterStage(run, 'paused');
  return toldToEverybody(run);
}

function resume(run: Batch): BatchStatus {
  run.progress.paused = null;
  if (run.progress.stage === 'paused') enterStage(run, 'running');
  return toldToEverybody(run);
}

function cancel(run: Batch): BatchStatus {
  enterStage(run, 'cancelling');
  giveUpAbsent(run);
  return toldToEverybody(run);
}

function setConcurrency(run: Batch, { concurrency }: { concurrency: number }): BatchStatus {
  const wasLarge = isLarge(run);
  run.progress.concurrency = concurrency;
  // Also those whose places stay the same.
  if (isLarge(run) !== wasLarge) return toldToEverybody(run);
  run.hasWork = true;
  return describe(run);
}

function toldToEverybody(run: Batch): BatchStatus {
  tellEverybody(run);
  run.hasWork = true;
  return describe(run);
}

function isOpen({ progress: { stage } }: Batch): boolean {
  return stage === 'running' || stage === 'paused';
}

function refuse(run: Batch, ...problems: string[][]): void {
  const all = [...(isOpen(run) ? [] : [`the batch is ${run.progress.stage}`]), ...problems.flat()];
  if (all.length === 0) return;
  throw ApplicationFailure.nonRetryable(`Nothing was changed: ${all.join('; ')}`, FAILURE.badDecision);
}
