/** A worker of the main task queue alone, as after a rollback: nobody takes the polls. It takes two minutes of real time. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { MEDIA_WORKFLOW } from '../../../src/contract';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { OWN_START } from '../../support/builders/jobs';
import { shared } from '../../support/jest/shared';
import { testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();

test('P2: a job whose polls no worker takes is given up in time', async () => {
  const { taskQueue, poll } = testConfig({
    poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '2s' },
  });
  const worker = await Worker.create({
    ...{ connection: temporal.nativeConnection, taskQueue },
    workflowBundle: { codePath: shared().bundlePath },
  });
  await worker.runUntil(async () => {
    const key = `job-${randomUUID()}`;
    const request = { image_url: 'https://images.example.com/a.png' };
    const run = await temporal.client.workflow.start(MEDIA_WORKFLOW, {
      ...{ workflowId: mediaWorkflowId(key), taskQueue, memo: OWN_START },
      args: [{ key, tool: 'remove-background', request, taskId: 't-1', poll }],
    });
    await expect(run.result()).rejects.toMatchObject({ cause: { type: 'GivenUp' } });
  });
}, 400_000);
