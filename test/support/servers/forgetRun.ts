import { msToTs } from '@temporalio/common/lib/time';
import { eventually } from '../eventually';
import { type TestTemporal } from './temporal';

/** Deletes a run, like the server does after the retention. */
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
  // The server deletes it some time later.
  await eventually('the run to be gone', isGone, 90_000);
}

/** Simulates a very short retention: the shortest that a server accepts is an hour. */
export function keepRunsForAMoment({ client }: TestTemporal): void {
  const config = { workflowExecutionRetentionTtl: msToTs(1) };
  jest.spyOn(client.workflowService, 'describeNamespace').mockResolvedValue({ config } as never);
}
