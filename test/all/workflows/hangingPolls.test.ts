/** A service that leaves GETs of tasks unanswered: polls wait for it, and decisions of people do not wait for polls. */
import { randomUUID } from 'node:crypto';
import { type Socket } from 'node:net';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type StarterConfig } from '../../../src/config';
import { resolveUpdate } from '../../../src/contract';
import { DecisionRefused, NoAnswer } from '../../../src/errors';
import { inParallel } from '../../../src/platform/parallel';
import { holdOf, SOMEBODY } from '../../support/builders/heldJobs';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { answer, startRawServer } from '../../support/service/rawServer';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { sendUpdate } from '../../../src/client/run';

const temporal = useTemporal();

/** More polls than the slots can run in the minute that a client waits: each takes 10 s, so ten per slot take 100 s. */
const [JOBS, SLOTS] = shared().full ? [1_000, 100] : [40, 4];

const fixed = { type: 'fixed-size' as const, numSlots: SLOTS };
const tuner = {
  workflowTaskSlotSupplier: { ...fixed, numSlots: 40 },
  activityTaskSlotSupplier: fixed,
  localActivityTaskSlotSupplier: fixed,
  nexusTaskSlotSupplier: fixed,
};

const RUNNING = answer('200 OK', '{"status":"STARTED","info":null}', ['connection: close']);

/** It cuts off POSTs, knows the task `known`, and leaves GETs of all others unanswered. */
async function withHangingService(
  work: (service: { url: string; posts: () => number; hanging: () => number }) => Promise<void>,
): Promise<void> {
  const hanging = new Set<Socket>();
  let posts = 0;
  const { url, stop } = await startRawServer((socket, request) => {
    if (request.startsWith('POST')) {
      posts += 1;
      socket.resetAndDestroy();
    } else if (request.startsWith('GET /api/v1/tasks/known')) socket.end(RUNNING);
    else hanging.add(socket.on('close', () => hanging.delete(socket)));
  });
  await work({ url, posts: () => posts, hanging: () => hanging.size }).finally(stop);
}

function jobOf(url: string) {
  return {
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${url}/samples/mug.png` },
  };
}

async function heldJob(config: StarterConfig, url: string): Promise<MediaJob> {
  const held = await segueClient(temporal, config).media.start(jobOf(url));
  expect(await held.wait()).toMatchObject({ status: 'held' });
  return held;
}

async function untilGetIsDue({ workflowId }: MediaJob): Promise<void> {
  const run = temporal.client.workflow.getHandle(workflowId);
  const isDue = async (): Promise<boolean> => {
    return ((await run.describe()).raw.pendingActivities ?? []).length > 0;
  };
  // Long: with a thousand jobs, one waits for the workflow tasks of all others.
  await eventually('its GET to be due', isDue, 300_000);
}

test.concurrent(
  'P2: decisions are answered while polls take all the slots that polls have',
  () =>
    withHangingService(async ({ url, posts, hanging }) => {
      const config = testConfig();
      const work = async (): Promise<void> => {
        const [found, unwanted] = [await heldJob(config, url), await heldJob(config, url)];
        const { media } = segueClient(temporal, config);
        const names = Array.from({ length: JOBS }, (_unused, n) => `silent-${n}`);
        const open = await inParallel(20, names, (taskId) => media.start({ ...jobOf(url), taskId }));
        await inParallel(20, open, untilGetIsDue);
        await eventually('polls that hang', () => hanging() >= SLOTS);

        const before = Date.now();
        const adopted = await found.resolve({ ...SOMEBODY, action: 'adopt', taskId: 'known' });
        expect(adopted).toMatchObject({ applied: true, taskId: 'known' });
        await unwanted.resolve({ ...SOMEBODY, action: 'abandon' });
        process.stderr.write(`two decisions beside ${JOBS} open jobs: ${Date.now() - before} ms\n`);
        expect(await unwanted.wait()).toMatchObject({ status: 'abandoned' });
        expect(posts()).toBe(2);
        await inParallel(20, [found, ...open], ({ workflowId }) =>
          temporal.client.workflow.getHandle(workflowId).terminate(),
        );
      };
      await withWorker(temporal, config, url, work, { worker: { tuner } });
    }),
  600_000,
);

test.concurrent(
  'P2: an adoption that the service says nothing to is refused in time, and a worker that takes long is not taken for none',
  () =>
    withHangingService(async ({ url }) => {
      const config = testConfig();
      await withWorker(temporal, config, url, async () => {
        const held = await heldJob(config, url);
        const decision = {
          ...SOMEBODY,
          action: 'adopt' as const,
          taskId: 'silent',
          hold: await holdOf(held),
        };
        const impatient = sendUpdate(temporal.client, held.workflowId, resolveUpdate, decision, 500);
        await expect(impatient).rejects.toThrow(NoAnswer);
        await expect(impatient).rejects.toThrow(
          `A worker polls the task queue "${config.taskQueue}" but did not answer in 500ms: it is busy`,
        );
        const refusal = await held.resolve(decision).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(DecisionRefused);
        expect(refusal).toMatchObject({ message: expect.stringContaining('Task silent was not adopted') });
        await temporal.client.workflow.getHandle(held.workflowId).terminate();
      });
    }),
  120_000,
);
