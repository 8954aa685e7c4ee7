/** A run tells its end to those who wait for it. */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { jobNewsSignal, reportToSignal } from '../../contract';
import { isWorkflowId } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';

/** Anybody may ask to be told; a few are enough. */
const MOST_LISTENERS = 20;

/** Does the work of a run, and tells its end, whichever, to whoever asked for that. A run that goes on tells nothing. */
export async function tellingItsEnd<T>(listeners: string[], work: () => Promise<T>): Promise<T> {
  handleListeners(listeners);
  try {
    const result = await work();
    await tell(listeners, 'succeeded');
    return result;
  } catch (error) {
    // Anything else is not an end: the server has the run's task done again.
    if (error instanceof TemporalFailure) await tell(listeners, 'failed');
    throw error;
  }
}

function handleListeners(listeners: string[]): void {
  setHandler(
    reportToSignal,
    (listener: unknown) => {
      if (!isRecord(listener) || !isWorkflowId(listener.workflowId)) return;
      if (listeners.includes(listener.workflowId) || listeners.length >= MOST_LISTENERS) return;
      listeners.push(listener.workflowId);
    },
    { description: 'Has this run tell its end to another one: { workflowId }.' },
  );
}

async function tell(listeners: string[], stage: 'succeeded' | 'failed'): Promise<void> {
  const news = { workflowId: workflowInfo().workflowId, stage, taskId: null };
  // One after the other, since more may come in the meantime.
  for (const listener of listeners)
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(listener).signal(jobNewsSignal, news),
    )
      // Nobody waits there any more.
      .catch(() => undefined);
}
