/** A run that is cancelled while its project cannot be written: the project's writer goes on without it. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import {
  changedSignal,
  changesSignal,
  PROJECT_WRITER_WORKFLOW,
  type ProjectRef,
} from '../../../src/contract';
import { projectWriterId, shardOf } from '../../../src/contract/ids';
import { writerStart } from '../../../src/runs/start';
import { eventually } from '../../support/eventually';
import { startByName } from '../../support/builders/jobs';
import { addFault, answering, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import { KEPT, readProject, removeFaults, seedProject } from '../../support/builders/writing';

const temporal = useTimeSkipping();
const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });

interface Cancelled {
  project: ProjectRef;
  handle: WorkflowHandle;
  /** What the project is to know in the end. */
  left: { key: string; taskId: string | null; status: 'cancelled' };
}

/** So many changes wait for the project that not even a small one fits. */
async function fill(organization: string, project: ProjectRef): Promise<void> {
  const { taskQueue } = config;
  const ask = async (name: string, length: number): Promise<void> => {
    const change = { steps: [{ at: `/${name}`, set: 'x'.repeat(length) }] };
    await temporal.client.workflow.signalWithStart(PROJECT_WRITER_WORKFLOW, {
      ...writerStart({ taskQueue, organization, shard: shardOf(project), authGrace: '1h' }),
      signal: changesSignal,
      signalArgs: [{ requests: [{ project, changeId: name, change }] }],
    });
  };
  await ask('large', 290_000);
  for (let n = 0; n < 10; n++) await ask(`small-${n}`, 1_800);
  for (let n = 0; n < 20; n++) await ask(`tiny-${n}`, 100);
}

async function untilTurnedAway(handle: WorkflowHandle): Promise<void> {
  await eventually('that it is turned away', async () => {
    const { events } = await handle.fetchHistory();
    return events?.some(
      ({ workflowExecutionSignaledEventAttributes: told }) => told?.signalName === changedSignal.name,
    );
  });
}

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandboxEach({ pace: { kind: 'time', ms: 3_600_000 }, etags });

  /** A job at its task is cancelled while the service takes no PATCH. */
  async function whereNothingIsWritten(
    work: (job: Cancelled) => Promise<void>,
    before: (project: ProjectRef) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const project = await seedProject(sandbox.url);
    const cancelled = async (): Promise<void> => {
      const key = `cancel-${randomUUID()}`;
      const handle = await startByName(temporal, config, sandbox.url, {
        key,
        write: { project, at: '/shoe' },
      });
      const job = await segueClient(temporal, config).media.get(key);
      const { taskId } = await eventually('the polls', async () => {
        const state = await job.state();
        return state?.stage === 'polling' ? state : undefined;
      });
      await addFault(sandbox.url, answering(503, 'update-project'));
      await before(project);
      await handle.cancel();
      await work({ project, handle, left: { key, taskId, status: 'cancelled' } });
    };
    await withWorker(temporal, config, sandbox.url, cancelled, {
      checkScheduledTime: false,
      // What a write without ETags waits until a PATCH cannot arrive any more is not skipped.
      writeTimeoutMs: 500,
    });
  }

  test('P2: a cancelled job ends while the service takes no PATCH, and the project knows its task once it does', async () => {
    await whereNothingIsWritten(async ({ project, handle, left }) => {
      await expect(handle.result()).rejects.toThrow(/cancelled/i);
      expect((await readProject(sandbox.url, project)).data).toEqual(KEPT);
      await removeFaults(sandbox.url);
      await temporal.client.workflow.getHandle(projectWriterId(sandbox.workspace, shardOf(project))).result();
      expect((await readProject(sandbox.url, project)).data).toMatchObject({ shoe: left });
    });
  });

  test('P2: a cancelled job for which its writer has no room asks again, and ends when it has', async () => {
    await whereNothingIsWritten(
      async ({ project, handle, left }) => {
        await untilTurnedAway(handle);
        await removeFaults(sandbox.url);
        await expect(handle.result()).rejects.toThrow(/cancelled/i);
        expect((await readProject(sandbox.url, project)).data).toMatchObject({ shoe: left });
      },
      (project) => fill(sandbox.workspace, project),
    );
  });
});
