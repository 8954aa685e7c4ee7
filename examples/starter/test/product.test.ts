import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestEnvironment } from '@segue/segue/testing';
import { Client, Connection } from '@temporalio/client';
import { createWorker } from '../src/worker';
import { type product } from '../src/workflows';

void test('a product is paid for once, also when its workflow runs again', async (t) => {
  const { sandboxUrl, temporalAddress, settings, stop } = await startTestEnvironment();
  t.after(stop);
  const project = { resourcetype: 'campaign', id: 'c1a4d5e0-1111-4222-8333-444455556666' };
  await fetch(`${sandboxUrl}/_sandbox/seed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ projects: [{ ...project, workspace: 1, title: 'Spring', data: {} }] }),
  });
  const taskQueue = 'shop';
  const worker = await createWorker({ ...settings, SEGUE_TASK_QUEUE: taskQueue });
  const connection = await Connection.connect({ address: temporalAddress });
  t.after(() => connection.close());
  const temporal = new Client({ connection });
  const input = {
    sku: 'shoe',
    imageUrl: `${sandboxUrl}/samples/shoe.png`,
    project,
    notify: { userId: 'u-1', workspaceId: 'w-1' },
  };
  const run = (workflowId: string): Promise<string> =>
    temporal.workflow.execute<typeof product>('product', { taskQueue, workflowId, args: [input] });

  const [first, again] = await worker.runUntil(async () => [await run('first'), await run('again')]);

  assert.equal(again, first);
  const ledger = await fetch(`${sandboxUrl}/_sandbox/ledger`);
  const { summary } = (await ledger.json()) as { summary: { submissions: number } };
  assert.equal(summary.submissions, 1);
});
