/** Tells the batch how its partition stands. */
import { condition, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import { partitionNewsSignal } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { doubling } from '../lib/atMostOnce';
import { readEnd } from '../lib/otherRuns';
import { isAnybodyUntold } from './notices';
import {
  countsOf,
  endWhenLong,
  isAtEnd,
  isDone,
  isHandedOver,
  isWriting,
  type Partition,
  silenceOf,
} from './run';

/** What changes while news is on its way goes out with the next. */
export async function reportNews(run: Partition): Promise<void> {
  for (;;) {
    await condition(() => isSettled(run) || run.hasNews);
    if (isSettled(run)) return;
    await tellBatch(run);
  }
}

/** While users are still to be told, its places are others' all the same: the batch is to know that its items are over. */
function isSettled(run: Partition): boolean {
  return isHandedOver(run) || (isAtEnd(run) && !isAnybodyUntold(run));
}

/** Seldom: of a large batch, thousands wait. */
const SPEAK_EVERY = '6h';

/**
 * A batch that was terminated gives no places any more, and tells nobody. Whoever waits for one finds out when he has
 * something to say, so that he says something now and then.
 */
export async function speakNowAndThen(run: Partition): Promise<void> {
  for (;;) {
    await sleep(SPEAK_EVERY, { summary: 'until the batch is told again how it stands' });
    run.hasNews = true;
    endWhenLong(run);
  }
}

/** Whether there is one to be told. One that cannot take it now, since too much comes at once, is told later. */
export async function tellBatch(run: Partition): Promise<boolean> {
  const pause = doubling(1_000, 60_000);
  while (!(await isTaken(run))) {
    const { is } = await readEnd({ workflowId: batchWorkflowId(run.input.batch) });
    if (is !== 'open') {
      stopWaiting(run);
      return false;
    }
    await sleep(pause.next(), { summary: 'until the batch takes news again' });
  }
  return true;
}

async function isTaken(run: Partition): Promise<boolean> {
  run.hasNews = false;
  const { batch, n } = run.input;
  const { late } = run.progress;
  const trouble = isSubmitting(run) ? (run.progress.trouble ?? null) : null;
  const silence = silenceOf(run);
  const isOver = isDone(run) && !isWriting(run) && !isAnybodyUntold(run) && run.leaving === 0;
  const news = { n, counts: countsOf(run), trouble, silence, late, isOver };
  try {
    await getExternalWorkflowHandle(batchWorkflowId(batch)).signal(partitionNewsSignal, news);
    return true;
  } catch {
    return false;
  }
}

/** Where it has nothing to submit any more, nobody can be in its way, or learn that nobody is. */
function isSubmitting({ progress }: Partition): boolean {
  return progress.items.some(
    ({ status, taskId }) => status === 'waiting' || (status === 'running' && !taskId),
  );
}

/** The batch was stopped, and nobody gives places any more. What is at the service is followed to its end. */
function stopWaiting({ progress }: Partition): void {
  for (const known of progress.items) {
    if (known.status !== 'waiting') continue;
    known.status = 'cancelled';
    known.error = 'the batch was stopped before it was submitted';
  }
}
