import { Context, log } from '@temporalio/activity';
import { HEARTBEAT_TIMEOUT_MS, type Sending, sendingSignal } from '../../contract';
import { insist } from './retryTemporalCall';
import { clientOf, isStillOurs } from './isStillActive';

/**
 * Tells the run, by a signal that its history keeps, that the submit `n` may be on the wire from now on; then asks the
 * server whether it still waits for this attempt. In this order: a run that gives the attempt up in between has the
 * signal, or this attempt learns of it. A mark in the heartbeat details would not do: an operator who unpauses an
 * activity with its heartbeats reset wipes them.
 */
export async function markSending(n: number, details: unknown): Promise<boolean> {
  const context = Context.current();
  const client = clientOf(context);
  if (!client) return true;
  const { workflowId = '', runId } = context.info.workflowExecution ?? {};
  const run = client.workflow.getHandle(workflowId, runId);
  try {
    await insist(client, HEARTBEAT_TIMEOUT_MS / 2, () => run.signal<[Sending]>(sendingSignal.name, { n }));
  } catch (error) {
    log.warn('nothing is sent: the run could not be told', { error });
    return false;
  }
  return isStillOurs(details);
}
