import { eventually } from './eventually';
import { type TestTemporal } from './temporal';

/** As the server does when the time is over for which it keeps runs. */
export async function forgetRun({ client }: TestTemporal, workflowId: string): Promise<void> {
  const run = { namespace: 'default', workflowExecution: { workflowId } };
  await client.workflowService.deleteWorkflowExecution(run);
  const isGone = (): Promise<boolean> =>
    client.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        () => false,
        () => true,
      );
  // The server takes its time.
  await eventually('the run to be gone', isGone, 90_000);
}
