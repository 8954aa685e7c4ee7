/** Writers of projects whose histories are committed: every way through one. */
import { changesSignal, PROJECT_WRITER_WORKFLOW } from '../../src/contract';
import { shardOf } from '../../src/contract/ids';
import { writerStart } from '../../src/runs/start';
import { eventually } from '../support/eventually';
import { PROJECT, startProjectService, WORKSPACE_ID } from '../support/service/projectService';
import { segueClient, testConfig, withWorker } from '../support/servers/temporal';
import { handingOver, type Scenario, whereHistoriesAreShort, whereTimeSkips } from './scenario';

const ORGANIZATION = String(WORKSPACE_ID);
const CHANGE = { steps: [{ at: '/a', set: 1 }] };

/** It hands over in the middle of an outage, with a change in its queue and somebody who waits for that. */
const inAnOutage = whereHistoriesAreShort(20, async (temporal, keep) => {
  const service = await startProjectService();
  const config = testConfig({ organization: ORGANIZATION });
  await withWorker(temporal, config, service.url, async () => {
    const { projects } = segueClient(temporal, config);
    const { workflowId } = await projects.patch(PROJECT, { fields: { title: 'Summer' } });
    const run = temporal.client.workflow.getHandle(workflowId);
    const { runId } = await run.describe();
    service.onRead = () => ({ status: 503 });
    const waiting = projects.patch(PROJECT, CHANGE);
    await eventually('another run', async () => (await run.describe()).runId !== runId);
    service.onRead = () => undefined;
    await waiting;
    await keep(run);
    await run.terminate();
  });
  await service.stop();
});

export const projectWriterScenarios: Record<string, Scenario> = {
  async 'project-writer'(temporal, keep) {
    const service = await startProjectService();
    // One good answer, one refusal, and an outage in between.
    service.onRead = (count) => (count === 2 || count === 3 || count === 4 ? { status: 503 } : undefined);
    const config = testConfig({ organization: ORGANIZATION });
    await withWorker(temporal, config, service.url, async () => {
      const { projects } = segueClient(temporal, config);
      const { workflowId } = await projects.patch(PROJECT, { fields: { title: 'Summer' } });
      const run = temporal.client.workflow.getHandle(workflowId);
      const requests = [{ project: PROJECT, changeId: 'asked-by-nobody', change: CHANGE }];
      await run.signal(changesSignal, { requests, replyTo: 'nobody' });
      await run.signal(changesSignal, { requests, replyTo: 'nobody' });
      await projects.patch(PROJECT, { steps: [{ at: '/kept/deep/0', set: 1 }] });
      await keep(run);
      await run.terminate();
    });
    await service.stop();
  },

  /** It had nothing to do for an hour. */
  'project-writer-idle': whereTimeSkips(async (temporal, keep) => {
    const service = await startProjectService();
    const config = testConfig();
    const { taskQueue } = config;
    const work = async (): Promise<void> => {
      const run = await temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
        ...writerStart({ taskQueue, organization: ORGANIZATION, shard: shardOf(PROJECT), authGrace: '1h' }),
        signal: changesSignal,
        signalArgs: [{ requests: [{ project: PROJECT, changeId: 'the-only-one', change: CHANGE }] }],
      });
      await run.result();
      await keep(run);
    };
    await withWorker(temporal, config, service.url, work, { checkScheduledTime: false });
    await service.stop();
  }),

  'project-writer-continued-as-new': inAnOutage,
  'project-writer-handing-over': handingOver(inAnOutage),
};
