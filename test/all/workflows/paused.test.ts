/** A run that an operator has paused on the Temporal server is open: it is reported so, takes no decision, and goes on afterwards. */
import { randomUUID } from 'node:crypto';
import { isOpen } from '../../../src/ownRun';
import { waitingJob } from '../../support/builders/waitingJob';
import { eventually } from '../../support/eventually';
import { addFault, withSandbox } from '../../support/service/sandbox';
import { segueClient, startOwnDevServer, testConfig, withWorker } from '../../support/servers/temporal';

test('P2: a paused run is open, refuses a decision in words, and takes it when it is unpaused', async () => {
  const own = await startOwnDevServer({ dynamicConfig: { 'frontend.WorkflowPauseEnabled': true } });
  const config = testConfig();
  await withSandbox({}, (sandboxUrl) =>
    withWorker(own, config, sandboxUrl, async () => {
      const every = { operation: 'remove-background', match: { every: 1 } };
      await addFault(sandboxUrl, { ...every, fault: 'reset', when: 'before' });
      const client = segueClient(own, config);
      const job = await client.media.start(waitingJob(sandboxUrl));
      expect(await job.wait()).toMatchObject({ status: 'held' });
      const { workflowId, runId } = job;
      const request = { namespace: 'default', workflowId, runId, identity: 'sam', reason: 'a test' };
      const heldKeys = async () => (await client.held()).jobs.map(({ key }) => key);
      await eventually('the hold in the list', async () => (await heldKeys()).length > 0);
      const abandon = () => job.resolve({ action: 'abandon', by: 'sam', reason: 'seen' });
      await own.client.workflowService.pauseWorkflowExecution({ ...request, requestId: randomUUID() });
      expect(isOpen(await own.client.workflow.getHandle(workflowId).describe())).toBe(true);
      // A paused run answers no query.
      expect(await heldKeys()).toEqual([job.key]);
      expect(await job.report()).toMatchObject({ status: 'running', stage: null });
      await expect(abandon()).rejects.toThrow(
        'is paused on the Temporal server, and takes no decision: unpause it first. Nothing was decided.',
      );
      await own.client.workflowService.unpauseWorkflowExecution({ ...request, requestId: randomUUID() });
      expect(await abandon()).toMatchObject({ applied: true });
      expect(await job.wait()).toMatchObject({ status: 'abandoned' });
    }),
  );
  await own.close();
});
