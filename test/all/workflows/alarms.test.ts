/** That a person is needed is told, also where what used to tell it is gone. */
import { randomUUID } from 'node:crypto';
import { type MediaState, stateQuery } from '../../../src/contract';
import {
  batchItemKey,
  batchPartWorkflowId,
  batchWorkflowId,
  mediaWorkflowId,
} from '../../../src/contract/ids';
import { batchOf, cutouts } from '../../support/builders/batch';
import { eventually } from '../../support/eventually';
import { addFault, addPassingFault, ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';
import { OWN_START } from '../../support/builders/jobs';

const temporal = useTemporal();
const sandbox = useSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
const config = testConfig({
  submit: { timeout: '10m', authGrace: '1h' },
  poll: { min: '50ms', max: '100ms', deadline: '1h', giveUp: '7d' },
});
const notify = { userId: 'u-1', workspaceId: '1' };
useWorker(temporal, config, sandbox, { operator: { userId: 'op', workspaceId: '1' } });

beforeEach(async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
});

/** Who was told, in order of their names. */
async function told(): Promise<string[]> {
  const { json } = await ask(sandbox.url, 'GET /_sandbox/notifications');
  return (json.notifications as { request: { userId: string } }[])
    .map(({ request }) => request.userId)
    .sort();
}

async function untilTold(...people: string[]): Promise<void> {
  await eventually('who is told', async () => (await told()).length >= people.length);
  expect(await told()).toEqual(people);
}

/** The service takes the POST and does not answer; without the fault, the connection is closed. */
function leaveUnanswered(requestId: string) {
  return addPassingFault(sandbox.url, {
    operation: 'remove-background',
    match: { requestId },
    ...{ fault: 'hang', when: 'after' },
  });
}

async function untilStage(workflowId: string, stage: string): Promise<void> {
  const run = temporal.client.workflow.getHandle(workflowId);
  await eventually(stage, async () => (await run.query<MediaState>(stateQuery.name)).stage === stage);
}

test('P2: a job that is held after it was cancelled is told until it is heard, and says what can be decided', async () => {
  const key = `alarm-${randomUUID()}`;
  const lost = await leaveUnanswered(`${key}.submit.1`);
  for (const nth of [1, 2])
    await addFault(sandbox.url, {
      operation: 'notify',
      match: { nth },
      ...{ fault: 'status', status: 429, when: 'before' },
    });
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  const { media } = segueClient(temporal, config);
  const job = await media.start({ key, tool: 'remove-background', request, notify });
  await eventually('the POST', async () => (await readLedger(sandbox.url)).summary.submissions === 1);
  await job.cancel();
  await lost.takeAway();
  expect(await job.wait()).toMatchObject({ status: 'held' });
  expect(await job.state()).toMatchObject({ hold: { actions: ['adopt', 'abandon'], resubmitAfter: null } });
  await untilTold('op', 'u-1');
  await job.resolve({ action: 'abandon', by: 'a test', reason: 'enough' });
  expect(await job.wait()).toMatchObject({ status: 'abandoned' });
});

test('P2: an item that is held when its batch is gone is told to the operator by itself', async () => {
  const spec = batchOf(cutouts(sandbox.url, 1), 1);
  const key = batchItemKey(spec.key, 1);
  const lost = await leaveUnanswered(`${key}.submit.1`);
  await segueClient(temporal, config).batch.start(spec);
  await eventually('the POST', async () => (await readLedger(sandbox.url)).summary.submissions === 1);
  await temporal.client.workflow.getHandle(batchWorkflowId(spec.key)).terminate();
  await lost.takeAway();
  await untilStage(mediaWorkflowId(key), 'held');
  await untilTold('op');
  await temporal.client.workflow.getHandle(mediaWorkflowId(key)).terminate();
  // It has nothing more to do.
  await temporal.client.workflow.getHandle(batchPartWorkflowId(spec.key, 1)).result();
});

test('P2: what a batch told of does not silence what comes after a late answer', async () => {
  const key = `alarm-${randomUUID()}~i1`;
  const attempt = { n: 1, at: new Date().toISOString(), outcome: 'unknown', reason: 'the connection broke' };
  const input = {
    ...{ key, tool: 'remove-background', request: {}, notify },
    held: { attempts: [attempt] },
    poll: { ...config.poll, deadline: '0s' },
  };
  const run = await temporal.client.workflow.signalWithStart('media', {
    memo: OWN_START,
    workflowId: mediaWorkflowId(key),
    taskQueue: config.taskQueue,
    args: [input],
    signal: 'accepted',
    signalArgs: [{ hold: 'any/1', taskId: 'a-task' }],
  });
  await untilStage(run.workflowId, 'overdue');
  await untilTold('op', 'u-1');
  await run.terminate();
});
