import { msToTs } from '@temporalio/common/lib/time';
import { eventually } from '../eventually';
import { type TestTemporal } from './temporal';

/** As the server does when the time is over for which it keeps runs. */
export async function forgetRun({ client }: TestTemporal, workflowId: string, runId?: string): Promise<void> {
  const run = { namespace: 'default', workflowExecution: { workflowId, runId } };
  await client.workflowService.deleteWorkflowExecution(run);
  const isGone = (): Promise<boolean> =>
    client.workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => false,
        () => true,
      );
  // The server takes its time.
  await eventually('the run to be gone', isGone, 90_000);
}

/** As if the namespace kept runs for a moment only: a real one keeps them for an hour at least. */
export function keepRunsForAMoment({ client }: TestTemporal): void {
  const config = { workflowExecutionRetentionTtl: msToTs(1) };
  jest.spyOn(client.workflowService, 'describeNamespace').mockResolvedValue({ config } as never);
}
