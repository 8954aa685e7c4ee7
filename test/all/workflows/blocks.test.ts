/** Building blocks of a team's own workflows; test/all/deploy/plugin.test.ts has those that need the service. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { ApplicationFailure } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();

let workflowBundle: { code: string };
beforeAll(async () => {
  const workflowsPath = require.resolve('./blocks.workflow');
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
});

/** Runs a workflow with an activity that gives these answers, the last one again and again. */
async function run(type: string, answers: (string | Error)[], times: object = {}): Promise<unknown> {
  const taskQueue = randomUUID();
  const ask = (): string => {
    const [answer = ''] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const worker = await Worker.create({
    ...{ connection: temporal.nativeConnection, taskQueue, workflowBundle, activities: { ask } },
  });
  const options = { taskQueue, workflowId: randomUUID(), args: [times] };
  const work = (): Promise<unknown> => temporal.client.workflow.execute(type, options);
  return worker.runUntil(work);
}

test('pollUntil polls again after an answer that is not the last and after a failed poll', async () => {
  expect(await run('polling', ['running', new Error('503'), 'running', 'over'])).toBe('over');
});

test('pollUntil gives up with the last error', async () => {
  await expect(run('polling', [new Error('503')], { giveUp: '50ms' })).rejects.toMatchObject({
    cause: { type: 'GivenUp', message: 'Gave up after 50ms: the last poll failed: 503' },
  });
});

test('pollUntil refuses what is not a duration', async () => {
  await expect(run('polling', ['over'], { min: '15 seconds' })).rejects.toMatchObject({
    cause: { type: 'BadInput', message: expect.stringContaining('"15 seconds" is not a number with a unit') },
  });
});

test('notifyOnce and writeResult fail at once where something is missing', async () => {
  expect(await run('careless', [''])).toEqual([
    expect.stringContaining('to: is required'),
    'message: is required',
    'message.sendBefore: must be a time with its zone, like 2026-01-31T14:00:00Z',
    expect.stringContaining('must be an object'),
    'change: changes nothing; give steps or fields',
  ]);
});

test('what Temporal cannot record is refused at once, and does not end the workflow', async () => {
  expect(await run('unrecordable', [''])).toEqual([
    expect.stringMatching(/^the input: is not JSON: .*BigInt/),
    expect.stringMatching(/^the input: has 2000\d+ bytes, more than/),
    expect.stringMatching(/^the input: has 3000\d+ bytes, more than/),
  ]);
});

test.each([
  ['request for a media job', 'runRequest', randomUUID(), { kind: 'media', spec: {} }],
  ['request for a batch', 'runRequest', randomUUID(), { kind: 'batch', spec: {} }],
  ['firing', 'firing', `firing/${randomUUID()}-2026-01-01T02:00:00Z`, {}],
])(
  'P1: a %s that is cancelled before its first workflow task starts nothing',
  async (_is, type, workflowId, input) => {
    const taskQueue = randomUUID();
    const start = jest.fn(() => {
      throw ApplicationFailure.nonRetryable('started');
    });
    const activities = { startRequested: start, startFired: start };
    const handle = await temporal.client.workflow.start(type, { taskQueue, workflowId, args: [input] });
    await handle.cancel();
    const worker = await Worker.create({
      ...{ connection: temporal.nativeConnection, taskQueue, workflowBundle, activities },
    });
    await worker.runUntil(async () => {
      await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    });
    expect(start).not.toHaveBeenCalled();
  },
);

test('a workflow can be cancelled while the job that it asked for cannot be started', async () => {
  const taskQueue = randomUUID();
  const tried = new EventEmitter();
  const startRequested = (): void => {
    tried.emit('tried');
    throw new Error('search attributes are missing');
  };
  const worker = await Worker.create({
    ...{ connection: temporal.nativeConnection, taskQueue, workflowBundle, activities: { startRequested } },
  });
  await worker.runUntil(async () => {
    const isTried = once(tried, 'tried');
    const handle = await temporal.client.workflow.start('product', { taskQueue, workflowId: randomUUID() });
    await isTried;
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  });
});
