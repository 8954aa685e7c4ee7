/** What `pollUntil` does in a week. */
import { randomUUID } from 'node:crypto';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { useTimeSkipping } from '../../support/servers/temporal';

const temporal = useTimeSkipping();

test('pollUntil gives up after a week, with a history that is short enough for Temporal', async () => {
  const taskQueue = randomUUID();
  let polls = 0;
  const ask = (): string => `poll ${++polls}`;
  const workflowsPath = require.resolve('./blocks.workflow');
  const worker = await Worker.create({
    ...{ connection: temporal.nativeConnection, taskQueue, activities: { ask } },
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') }),
  });
  const options = { taskQueue, workflowId: randomUUID(), args: [{ min: '15s', max: '20s' }] };
  await worker.runUntil(async () => {
    const polling = temporal.client.workflow.execute('polling', options);
    await expect(polling).rejects.toMatchObject({
      cause: { type: 'GivenUp', message: expect.stringContaining('Gave up after') },
    });
  });
  expect(polls).toBeGreaterThan(200);
  expect(polls).toBeLessThan(1_000);
}, 120_000);
