/** A worker that is killed while it hands the batch of a firing over: another one goes on, and nothing runs twice. */
import path from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { freePort } from '@segue/devserver';
import { batchPartWorkflowId, firedKey } from '../../../src/contract/ids';
import { cutouts, resultsOf } from '../../support/builders/batch';
import { manifestOf, useManifests } from '../../support/builders/manifests';
import { useProcesses } from '../../support/servers/processes';
import { readLedger } from '../../support/service/sandbox';
import { useSchedules } from '../../support/builders/schedules';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);
const manifests = useManifests();
const config = testConfig();
const { newName, until } = useSchedules(() => segueClient(temporal, config));

const NIGHT = '2026-01-01T02:00:00Z';
const ITEMS = 48;
/** Four are handed over at a time, so that the last two are not there when the first one is. */
const PARTITIONS = 6;

test('P1 P2: kill -9 while a firing hands over: the next worker goes on with the same batch', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
  // So long that eight of them fill a partition; nobody is told of anything.
  const notify = { userId: 'u-1', workspaceId: '1', on: [], link: `${sandboxUrl}/${'x'.repeat(60_000)}` };
  manifests.gives(manifestOf(cutouts(sandboxUrl, ITEMS, { notify })));
  const { schedules, batch } = segueClient(temporal, config);
  const name = newName();
  const target = { kind: 'batch', spec: { manifest: manifests.address } } as const;
  await schedules.create(name, { spec: { cron: '0 2 * * *' }, timezone: 'UTC', target });

  const preload = path.join(__dirname, '../../support/preload/killInHandOver.js');
  // It reaches no service, so that none of its POSTs can be on the wire: nothing may be held.
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const killed = await processes.worker(config.taskQueue, nowhere, { NODE_OPTIONS: `--require ${preload}` });
  await schedules.backfill(name, NIGHT, NIGHT);
  await killed.ended();
  expect(killed.child.signalCode).toBe('SIGKILL');

  const half = await batch.get(firedKey(name, NIGHT));
  const last = temporal.client.workflow.getHandle(batchPartWorkflowId(half.key, PARTITIONS));
  await expect(last.describe()).rejects.toThrow(WorkflowNotFoundError);

  await processes.worker(config.taskQueue, sandboxUrl);
  const { firings } = await until(name, 'its end', (report) => report.firings[0]?.status !== 'running');
  expect(firings).toMatchObject([{ workflowId: half.workflowId, status: 'succeeded', error: null }]);
  expect((await half.status()).partitions).toEqual({
    ...{ total: PARTITIONS, handedOver: PARTITIONS, over: PARTITIONS },
  });
  expect(manifests.asked).toHaveLength(2);
  expect(await resultsOf(half)).toHaveLength(ITEMS);
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: ITEMS, duplicates: 0 });
});
