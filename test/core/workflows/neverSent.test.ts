/** A submit whose worker died before it sent anything: the run submits again by itself, and nobody is asked. */
import { defaultPayloadConverter } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time';
import { sendingSignal } from '../../../src/contract';
import { batchPartWorkflowId, batchTaskQueue, submitTaskQueue } from '../../../src/contract/ids';
import { batchOf, cutouts } from '../../support/builders/batch';
import { newKey, startByName } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { readLedger, withSandbox } from '../../support/service/sandbox';

const temporal = useTemporal();

const INSTANT = { pace: { kind: 'instant' } } as const;
const WORKFLOWS = { roles: ['workflows'] } as const;

/** Takes a task as a worker does that dies with it: it never answers, nor shows that it lives. */
async function takeTask(queue: string): Promise<string> {
  const { client } = temporal;
  const { activityId, activityType } = await client.withDeadline(Date.now() + 60_000, () =>
    client.workflowService.pollActivityTaskQueue({
      ...{ namespace: 'default', taskQueue: { name: queue }, identity: 'a worker that dies' },
    }),
  );
  expect(activityId).not.toBe('');
  return activityType?.name ?? '';
}

async function eventsOf(workflowId: string) {
  return (await temporal.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

/** Every stage that its list entry ever had since its start. */
async function stagesOf(workflowId: string): Promise<unknown[]> {
  return (await eventsOf(workflowId)).flatMap((event) => {
    const { SegueStage: stage } =
      event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields ?? {};
    return stage ? [defaultPayloadConverter.fromPayload(stage)] : [];
  });
}

test.concurrent('P1 P2: a job whose worker died before it sent goes on by itself, with one submission', () =>
  withSandbox(INSTANT, async (url) => {
    const config = testConfig();
    // Other languages write null for what they leave out.
    const input = { key: newKey(), poll: config.poll, held: null as never };
    const run = await startByName(temporal, config, url, input);
    await withWorker(
      temporal,
      config,
      url,
      async () => {
        expect(await takeTask(submitTaskQueue(config.taskQueue))).toBe('submit');
      },
      WORKFLOWS,
    );
    await withWorker(temporal, config, url, async () => {
      const job = await segueClient(temporal, config).job(run.workflowId);
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
      expect(await job.state()).toMatchObject({
        attempts: [{ outcome: 'notSent' }, { outcome: 'accepted' }],
        decisions: [],
      });
    });
    expect(await stagesOf(run.workflowId)).not.toContain('held');
    expect((await readLedger(url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  }),
);

test.concurrent('P1: a job whose worker died after the sending signal is held', () =>
  withSandbox(INSTANT, async (url) => {
    const config = testConfig();
    const run = await startByName(temporal, config, url, { key: newKey(), poll: config.poll });
    const take = async (): Promise<void> => {
      await takeTask(submitTaskQueue(config.taskQueue));
      await run.signal(sendingSignal, { n: 1 });
    };
    await withWorker(temporal, config, url, take, WORKFLOWS);
    await withWorker(temporal, config, url, async () => {
      const job = await segueClient(temporal, config).job(run.workflowId);
      expect(await job.wait()).toMatchObject({ status: 'held' });
      await job.resolve({ action: 'abandon', by: 'a test', reason: 'seen' });
    });
    expect((await readLedger(url)).summary).toMatchObject({ submissions: 0 });
  }),
);

test.concurrent(
  'P1 P2: a chunk whose worker died before the sending signal is sent again; no item is held',
  () =>
    withSandbox(INSTANT, async (url) => {
      const config = testConfig();
      const { batch: batches } = segueClient(temporal, config);
      const batch = await withWorker(
        temporal,
        config,
        url,
        async () => {
          const started = await batches.start(batchOf(cutouts(url, 3), 3));
          expect(await takeTask(batchTaskQueue(config.taskQueue))).toBe('submitChunk');
          return started;
        },
        WORKFLOWS,
      );
      await withWorker(temporal, config, url, async () => {
        const { status, counts } = await batch.result();
        expect(status).toBe('completed');
        expect(counts).toMatchObject({ succeeded: 3, held: 0, failed: 0 });
      });
      expect((await readLedger(url)).summary).toMatchObject({ submissions: 3, duplicates: 0 });
    }),
);

test.concurrent('P2: submits without a worker wait in the queue without a timeout', () =>
  withSandbox(INSTANT, async (url) => {
    const config = testConfig();
    const { media, batch: batches } = segueClient(temporal, config);
    const [job, batch] = await withWorker(
      temporal,
      config,
      url,
      async () => {
        const spec = { tool: 'remove-background', request: { image_url: `${url}/samples/mug.png` } };
        const started = await media.start({ ...spec, key: newKey() });
        const many = await batches.start(batchOf(cutouts(url, 3), 3));
        for (const workflowId of [started.workflowId, batchPartWorkflowId(many.key, 1)]) {
          const order = await eventually('its submit in the queue', async () => {
            const events = await eventsOf(workflowId);
            const scheduled = events.map((event) => event.activityTaskScheduledEventAttributes);
            return (
              scheduled.find((activity) => activity?.activityType?.name?.startsWith('submit')) ?? undefined
            );
          });
          // Only what a worker has taken can be given up.
          expect(tsToMs(order.scheduleToCloseTimeout)).toBe(0);
          expect(tsToMs(order.scheduleToStartTimeout)).toBe(0);
          expect(tsToMs(order.startToCloseTimeout)).toBeGreaterThan(0);
        }
        return [started, many] as const;
      },
      WORKFLOWS,
    );
    expect((await readLedger(url)).summary).toMatchObject({ submissions: 0 });
    await withWorker(
      temporal,
      config,
      url,
      async () => {
        await eventually('the POSTs', async () => (await readLedger(url)).summary.submissions === 4);
      },
      { roles: ['submit', 'batch'] },
    );
    await withWorker(
      temporal,
      config,
      url,
      async () => {
        expect(await job.wait()).toMatchObject({ status: 'succeeded' });
        expect((await batch.result()).counts).toMatchObject({ succeeded: 3 });
      },
      WORKFLOWS,
    );
    expect((await readLedger(url)).summary).toMatchObject({ submissions: 4, duplicates: 0 });
  }),
);
