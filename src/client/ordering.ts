/** How an order reaches a run. */
import { type Client, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { type UpdateDefinition } from '@temporalio/common';
import { noAnswer } from './pollers';

/** Most are answered at once; an adoption reads the service first. */
const ORDER_PATIENCE_MS = 60_000;

/** Has its answer. A worker that goes away before it gives one is not waited for: the server keeps the order for the next. */
export async function sendOrder<Answer, Order>(
  temporal: Client,
  workflowId: string,
  update: UpdateDefinition<Answer, [Order]>,
  order: Order,
  patienceMs = ORDER_PATIENCE_MS,
): Promise<Answer> {
  const handle = temporal.workflow.getHandle(workflowId);
  try {
    return await temporal.withDeadline(Date.now() + patienceMs, () =>
      handle.executeUpdate<Answer, [Order]>(update.name, { args: [order] }),
    );
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)
      throw await noAnswer(temporal, workflowId, 'sent', patienceMs);
    throw error;
  }
}
