/** A run that an operator has paused on the Temporal server is open: it is reported so, takes no decision, and goes on afterwards. */
import { randomUUID } from 'node:crypto';
import { noAnswer } from '../../../src/runs/query';
import { isOpen } from '../../../src/runs/find';
import { writerStart } from '../../../src/runs/start';
import { PROJECT_WRITER_WORKFLOW } from '../../../src/contract';
import { shardOf } from '../../../src/contract/ids';
import { NEVER_BY_ITSELF } from '../../support/builders/schedules';
import { waitingJob } from '../../support/builders/waitingJob';
import { eventually } from '../../support/eventually';
import { addFault, withSandbox } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';

const temporal = useTemporal(() =>
  startOwnDevServer({ dynamicConfig: { 'frontend.WorkflowPauseEnabled': true } }),
);

function pausing(workflowId: string, runId: string) {
  const requestId = randomUUID();
  return { namespace: 'default', workflowId, runId, identity: 'sam', reason: 'a test', requestId };
}

test('P2: a paused run is open and listed as paused, refuses a decision, and takes it when unpaused', async () => {
  const config = testConfig();
  await withSandbox({}, (sandboxUrl) =>
    withWorker(temporal, config, sandboxUrl, async () => {
      const every = { operation: 'remove-background', match: { every: 1 } };
      await addFault(sandboxUrl, { ...every, fault: 'reset', when: 'before' });
      const client = segueClient(temporal, config);
      const job = await client.media.start(waitingJob(sandboxUrl));
      expect(await job.wait()).toMatchObject({ status: 'held' });
      const { workflowId, runId } = job;
      const heldKeys = async () => (await client.held()).jobs.map(({ key }) => key);
      await eventually('the hold in the list', async () => (await heldKeys()).length > 0);
      const abandon = () => job.resolve({ action: 'abandon', by: 'sam', reason: 'seen' });
      await temporal.client.workflowService.pauseWorkflowExecution(pausing(workflowId, runId));
      expect(isOpen(await temporal.client.workflow.getHandle(workflowId).describe())).toBe(true);
      const ofJob = `WorkflowId = '${workflowId}' AND ExecutionStatus != 'Running'`;
      await eventually('the pause in the list', async () => {
        return (await temporal.client.workflow.count(ofJob)).count === 1;
      });
      expect((await client.held()).jobs).toMatchObject([
        {
          ...{ key: job.key, status: 'held', stage: 'held', closedAt: null, leftovers: null },
          ...{ answered: true, reason: 'it is paused on the Temporal server: unpause it first' },
        },
      ]);
      // A paused run answers no query.
      expect(await job.report()).toMatchObject({ status: 'running', stage: null });
      await expect(abandon()).rejects.toThrow(
        'is paused on the Temporal server: unpause it first. Nothing was changed',
      );
      const { message } = await noAnswer(temporal.client, workflowId);
      expect(message).toContain('is paused on the Temporal server: unpause it first');
      await temporal.client.workflowService.unpauseWorkflowExecution(pausing(workflowId, runId));
      expect(await abandon()).toMatchObject({ applied: true });
      expect(await job.wait()).toMatchObject({ status: 'abandoned' });
    }),
  );
});

test('a firing whose run is paused is shown as open', async () => {
  const { schedules } = segueClient(temporal, testConfig());
  const name = `paused-${randomUUID()}`;
  const spec = { project: { resourcetype: 'campaign', id: '7' }, boards: ['launch-board'] };
  await schedules.create(name, {
    ...{ spec: NEVER_BY_ITSELF, timezone: 'UTC', target: { kind: 'outlook', spec } },
  });
  await schedules.trigger(name);
  // No worker takes it.
  const { firing } = await eventually('the firing', async () => (await schedules.show(name)).firings[0]);
  const { runId } = await temporal.client.workflow.getHandle(firing).describe();
  await temporal.client.workflowService.pauseWorkflowExecution(pausing(firing, runId));
  expect((await schedules.show(name)).firings).toMatchObject([{ firing, status: 'running' }]);
});

test('the status of a project says at once that no worker answers, and that its writer is paused', async () => {
  const config = testConfig({ organization: '1' });
  const { projects } = segueClient(temporal, config);
  const project = { resourcetype: 'campaign', id: '7' };
  const { taskQueue, submit } = config;
  const shard = shardOf(project);
  const start = writerStart({ taskQueue, organization: '1', shard, authGrace: submit.authGrace });
  const { firstExecutionRunId } = await temporal.client.workflow.start(PROJECT_WRITER_WORKFLOW, start);
  const asked = Date.now();
  const unanswered = { name: 'NoAnswer', message: expect.stringContaining('`segue worker`') as unknown };
  await expect(projects.status(project)).rejects.toMatchObject(unanswered);
  expect(Date.now() - asked).toBeLessThan(20_000);
  const pause = pausing(start.workflowId, firstExecutionRunId);
  await temporal.client.workflowService.pauseWorkflowExecution(pause);
  await expect(projects.status(project)).rejects.toThrow('unpause it first');
});
