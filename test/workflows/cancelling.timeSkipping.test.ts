/** A run that is cancelled while its project cannot be written: the project's writer goes on without it. */
import { randomUUID } from 'node:crypto';
import { projectWriterId } from '../../src/ids';
import { eventually } from '../support/eventually';
import { startByName } from '../support/jobs';
import { addFault, answering, useSandboxEach } from '../support/sandbox';
import { segueClient, testConfig, useTimeSkipping, withWorker } from '../support/temporal';
import { KEPT, readProject, removeFaults, seedProject, WORKSPACE } from '../support/writing';

const temporal = useTimeSkipping();
const sandbox = useSandboxEach({ pace: { kind: 'time', ms: 3_600_000 } });

test('P2: a cancelled job ends while the service takes no PATCH, and the project knows its task once it does', async () => {
  const project = await seedProject(sandbox.url);
  const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });
  const work = async (): Promise<void> => {
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
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(/cancelled/i);
    expect((await readProject(sandbox.url, project)).data).toEqual(KEPT);
    await removeFaults(sandbox.url);
    await temporal.client.workflow.getHandle(projectWriterId(WORKSPACE, project)).result();
    expect((await readProject(sandbox.url, project)).data).toMatchObject({
      shoe: { key, status: 'cancelled', taskId },
    });
  };
  await withWorker(temporal, config, sandbox.url, work, { checkScheduledTime: false });
});
