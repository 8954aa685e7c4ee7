import { ApplicationFailure, CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { type Run } from './progress';

/**
 * The service may have accepted the job, and nobody but a person can tell: the run stands here until it is cancelled
 * or terminated. A cancellation from before it was held does not count, since whoever asked for it did not know.
 */
export async function hold(run: Run): Promise<never> {
  run.stage = 'held';
  run.hold = `${workflowInfo().runId}/${run.progress.submits}`;
  const stand = (): Promise<void> => condition(() => false);
  if (CancellationScope.current().consideredCancelled) await CancellationScope.nonCancellable(stand);
  else await stand();
  throw ApplicationFailure.nonRetryable('a hold does not end by itself');
}
