/** Whoever hands a batch over may come to know that the rest of its manifest cannot be had any more. */
import { setHandler } from '@temporalio/workflow';
import { endHandOverSignal } from '../../contract';
import { isRecord, isText } from '../../validation/inputs';
import { type Batch, giveUpAbsent } from './run';

const LONGEST_REASON = 1_000;

/** What is there goes on: it is the batch that was asked for, as far as it came. */
export function handleEndOfHandOver(run: Batch): void {
  setHandler(
    endHandOverSignal,
    (order: unknown) => {
      const { progress } = run;
      const isWhole = progress.partitions.every(({ isThere }) => isThere);
      if (isWhole || progress.incomplete !== null || progress.stage === 'cancelling') return;
      const reason = isRecord(order) && isText(order.reason) ? order.reason : 'no reason was given';
      progress.incomplete = reason.slice(0, LONGEST_REASON);
      giveUpAbsent(run);
      run.hasWork = true;
    },
    { description: 'The rest of the manifest will not be handed over: { reason }. What is there goes on.' },
  );
}
