/** Questions for the clock of a workspace whose histories are committed. */
import { randomUUID } from 'node:crypto';
import { WORKSPACE_CLOCK_WORKFLOW, type WorkspaceClockInput } from '../../src/contract';
import { workspaceClockWorkflowId } from '../../src/contract/ids';
import { addFault, answering, startSandbox } from '../support/service/sandbox';
import { testConfig, withWorker } from '../support/servers/temporal';
import { WORKSPACE } from '../support/builders/writing';
import { type Scenario } from './scenario';

/** Asks for the clock, after what is done to the service. */
function asking(before?: (sandboxUrl: string) => Promise<void>): Scenario {
  return async (temporal, keep) => {
    const sandbox = await startSandbox();
    await before?.(sandbox.url);
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const input: WorkspaceClockInput = { scope: { organization: WORKSPACE } };
      const run = await temporal.client.workflow.start(WORKSPACE_CLOCK_WORKFLOW, {
        workflowId: workspaceClockWorkflowId(randomUUID()),
        taskQueue: config.taskQueue,
        args: [input],
      });
      await run.result().catch(() => undefined);
      await keep(run);
    });
    await sandbox.stop();
  };
}

export const workspaceClockScenarios: Record<string, Scenario> = {
  'workspace-clock': asking(),
  'workspace-clock-unanswered': asking((url) => addFault(url, answering(503, 'get-workspace'))),
};
