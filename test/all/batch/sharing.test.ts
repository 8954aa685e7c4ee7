/** Who gets the slots on the wire where a batch would take them all; judged by the order in the service's ledger. */
import { randomUUID } from 'node:crypto';
import { temporal as proto } from '@temporalio/proto';
import { FAIRNESS_SETTING } from '@segue/devserver';
import { type Batch } from '../../../src/client/batches';
import { batchTaskQueue } from '../../../src/contract/ids';
import { batchOf, cutouts, startBatch } from '../../support/builders/batch';
import { newCampaign, startCampaign } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { PAST_ANY_TEST_MS } from '../../support/service/faults';
import { addFault, ask, faultHits, readLedger, useSandboxEach } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';

// Each part of a queue keeps an order of its own, so that there is one to judge by.
const temporal = useTemporal(() =>
  startOwnDevServer({
    dynamicConfig: {
      [FAIRNESS_SETTING]: true,
      'matching.numTaskqueueReadPartitions': 1,
      'matching.numTaskqueueWritePartitions': 1,
      // Else what it tells of a queue may be five seconds old.
      'matching.TaskQueueInfoByBuildIdTTL': '"1ms"',
    },
  }),
);
const sandbox = useSandboxEach({ pace: { kind: 'polls', polls: 1 } });

const ACTIVITIES = proto.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;

/** No POST is given up while it hangs. */
const submit = { timeout: '10m', authGrace: '1h' };

/** Every POST of a batch hangs, and is taken when `work` is done; those of other tools are taken at once. */
async function whileBatchesHang(work: () => Promise<void>): Promise<void> {
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { every: 1 } },
    ...{ fault: 'delay', ms: PAST_ANY_TEST_MS, when: 'before' },
  });
  await work().finally(() => ask(sandbox.url, 'DELETE /_sandbox/faults'));
}

/** How many of the POSTs that hang the service has taken up. */
async function hanging(): Promise<number> {
  const [hits = 0] = await faultHits(sandbox.url);
  return hits;
}

/** Chunks that wait for a worker, by the word of the server's queue. */
async function untilWaiting(taskQueue: string, chunks: number): Promise<void> {
  await eventually(`${chunks} chunks in the queue`, async () => {
    const { stats } = await temporal.client.workflowService.describeTaskQueue({
      ...{ namespace: 'default', taskQueue: { name: batchTaskQueue(taskQueue) } },
      ...{ taskQueueType: ACTIVITIES, reportStats: true },
    });
    return Number(stats?.approximateBacklogCount) === chunks;
  });
}

test('a single job and a campaign are done while every place that batches have hangs', async () => {
  const config = testConfig({ submit });
  const picture = {
    tool: 'image-outpainting',
    request: {
      ...{ image_url: `${sandbox.url}/samples/mug.png`, mask_url: `${sandbox.url}/samples/mask.png` },
      ...{ prompt: 'a table', count: 1 },
    },
  };
  const inBatch = 6;
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      let batch: Batch | undefined;
      await whileBatchesHang(async () => {
        batch = await startBatch(temporal, config, batchOf(cutouts(sandbox.url, inBatch), 2));
        await eventually('all slots to be taken', async () => (await hanging()) === 2);
        const { media } = segueClient(temporal, config);
        const job = await media.run({ key: `single-${randomUUID()}`, ...picture });
        expect(job).toMatchObject({ status: 'succeeded' });
        const campaign = await newCampaign(sandbox.url, { media: { picture } });
        const running = await startCampaign(temporal, config, campaign);
        expect(await running.result()).toMatchObject({ status: 'completed' });
        // And nothing of the batch was taken before them.
        expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 2 });
      });
      expect(await batch?.result()).toMatchObject({ status: 'completed', counts: { succeeded: inBatch } });
    },
    // Two for batches, two for all others.
    { limits: { maxSubmits: 4 } },
  );
  const { summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions: inBatch + 2, duplicates: 0 });
});

test('a short batch of one workspace takes turns with a long one of another that came first', async () => {
  const config = testConfig({ submit });
  const [many, few] = [24, 4];
  /** Partitions of one item: all that is in it waits in the queue as soon as it is handed over. */
  const batchFor = (organization: string, items: number) =>
    batchOf(cutouts(sandbox.url, items), 1, { scope: { organization } });
  const [long, short] = [batchFor('1', many), batchFor('2', few)];
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const batches: Batch[] = [];
      await whileBatchesHang(async () => {
        batches.push(await startBatch(temporal, config, long));
        await eventually('the place to be taken', async () => (await hanging()) === 1);
        await untilWaiting(config.taskQueue, many - 1);
        batches.push(await startBatch(temporal, config, short));
        await untilWaiting(config.taskQueue, many - 1 + few);
      });
      for (const batch of batches) expect(await batch.result()).toMatchObject({ status: 'completed' });
    },
    // One for batches.
    { limits: { maxSubmits: 2 } },
  );
  const { entries } = await readLedger(sandbox.url);
  const order = entries
    .filter(({ kind }) => kind === 'submit')
    .map(({ requestId }) => (requestId?.startsWith(short.key) ? 'short' : 'long'));
  expect(order).toHaveLength(many + few);
  const [begins, ends] = [order.indexOf('short'), order.lastIndexOf('short')];
  // By turns about as many of the other's come before its last as it has itself; in the order of coming, all.
  expect(ends + 1 - few).toBeLessThan(many / 2);
  // It does not go first, either: between its first and its last the other has turns, too.
  expect(ends - begins).toBeGreaterThanOrEqual(few);
});
