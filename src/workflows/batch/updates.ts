/** The queries and updates of a batch, and the signal that the rest of its manifest will not come. */
import { CancellationScope, setHandler } from '@temporalio/workflow';
import { isText, validateOrder, validateConcurrencyOrder } from '../../validation/inputs';
import {
  batchCancelUpdate,
  batchConcurrencyUpdate,
  type PauseOrder,
  batchPartitionsQuery,
  batchPauseUpdate,
  batchResumeUpdate,
  type BatchStatus,
  batchStatusQuery,
  endHandOverSignal,
} from '../../contract';
import { onSignal } from '../lib/listeners';
import { refuseUpdate } from '../lib/refuse';
import { type Batch } from './state';
import { setStage } from './visibility';

export function handleUpdates(run: Batch): void {
  const endText =
    'The rest of the manifest will not be handed over: { reason }. Partitions that were handed over continue.';
  onSignal(endHandOverSignal, endText, ({ reason }) => {
    endHandOver(run, reason);
  });
  setHandler(batchStatusQuery, () => run.describe(), {
    description: 'Status of the batch: stage, items by what became of them, trouble.',
  });
  setHandler(
    batchPartitionsQuery,
    () => run.progress.partitions.map(({ isThere, isOver, counts }) => ({ isThere, isOver, counts })),
    { description: 'What it knows of each of its partitions: [{ isThere, isOver, counts }].' },
  );
  setHandler(batchPauseUpdate, (order) => pause(run, order), {
    description: 'Submits nothing more until it is resumed: { by, reason? }. Accepted tasks continue.',
    validator: (order) => {
      const { paused } = run.progress;
      refuse(run, validateOrder(order), paused ? [`it is paused already, by ${paused.by}`] : []);
    },
  });
  setHandler(batchResumeUpdate, () => resume(run), {
    description: 'Resumes after a pause: { by, reason? }.',
    validator: (order) => {
      refuse(run, validateOrder(order), run.progress.paused ? [] : ['it is not paused']);
    },
  });
  setHandler(batchCancelUpdate, () => cancel(run), {
    description:
      'Submits nothing more and ends: { by, reason? }. Accepted tasks continue at the service; the results name them.',
    validator: (order) => {
      refuse(run, validateOrder(order));
    },
  });
  setHandler(batchConcurrencyUpdate, (order) => setConcurrency(run, order), {
    description: 'Changes how many items are at the service at once: { concurrency, by, reason? }.',
    validator: (order) => {
      refuse(run, validateConcurrencyOrder(order));
    },
  });
  void CancellationScope.current().cancelRequested.catch(() => {
    // A batch that is over keeps its outcome, though notifications may still be in flight.
    if (run.isOpen) cancel(run);
  });
}

const LONGEST_REASON = 1_000;

/** Partitions already handed over keep running. */
function endHandOver(run: Batch, reason: unknown): void {
  const { progress } = run;
  const isWhole = progress.partitions.every(({ isThere }) => isThere);
  if (isWhole || progress.incomplete !== null || progress.stage === 'cancelling') return;
  progress.incomplete = (isText(reason) ? reason : 'no reason was given').slice(0, LONGEST_REASON);
  run.cancelAbsent();
  run.hasWork = true;
}

function pause(run: Batch, { by, reason }: PauseOrder): BatchStatus {
  run.progress.paused ??= { by, reason: reason ?? '', since: new Date().toISOString() };
  setStage(run, 'paused');
  return grantAgain(run);
}

function resume(run: Batch): BatchStatus {
  run.progress.paused = null;
  if (run.progress.stage === 'paused') setStage(run, 'running');
  return grantAgain(run);
}

function cancel(run: Batch): BatchStatus {
  setStage(run, 'cancelling');
  run.cancelAbsent();
  return grantAgain(run);
}

function setConcurrency(run: Batch, { concurrency }: { concurrency: number }): BatchStatus {
  const wasLarge = run.isLarge;
  run.progress.concurrency = concurrency;
  // The chunk size changes also for partitions whose slots stay the same.
  if (run.isLarge !== wasLarge) return grantAgain(run);
  run.hasWork = true;
  return run.describe();
}

/** Every open partition gets a new slot grant. */
function grantAgain(run: Batch): BatchStatus {
  for (const n of run.numbersOf(({ isThere, isOver }) => isThere && !isOver)) run.ungranted.add(n);
  run.hasWork = true;
  return run.describe();
}

function refuse(run: Batch, ...problems: string[][]): void {
  refuseUpdate([...(run.isOpen ? [] : [`the batch is ${run.progress.stage}`]), ...problems.flat()]);
}
