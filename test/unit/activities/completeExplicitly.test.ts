/** P2: what becomes of a task id that the server does not take as a result any more. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { CompleteAsyncError } from '@temporalio/activity';
import { ActivityNotFoundError, type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ActivityCancellationDetails } from '@temporalio/common';
import { type MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../src/activities';
import { acceptedSignal, lateTasksSignal, sendingSignal } from '../../../src/contract';
import { testApi } from '../../support/service/api';
import { startRawServer } from '../../support/service/rawServer';
import { ACCEPTED, REQUEST } from '../../support/service/submits';
import { activityEnvironment } from '../../support/servers/log';

type Told = [ids: string[], signal: string, news: unknown];

/** A server that has given every activity up, and what it was told by signal; runs that are over cannot be told. */
function serverThatGaveUp(isOver: (workflowId: string) => boolean = () => false) {
  const told: Told[] = [];
  // As the SDK's client: a call fails where what it is tied to was aborted.
  const tiedTo = new AsyncLocalStorage<AbortSignal>();
  const call = async <T>(answer: () => T | Promise<T>): Promise<T> => {
    tiedTo.getStore()?.throwIfAborted();
    return answer();
  };
  const getHandle = (...ids: string[]) => ({
    describe: () => Promise.reject(new WorkflowNotFoundError('no such batch', 'batch/b', undefined)),
    signal: (name: string, news: unknown) =>
      call(() => {
        const [workflowId = ''] = ids;
        if (name === sendingSignal.name) return;
        told.push([ids, name, news]);
        if (isOver(workflowId)) throw new WorkflowNotFoundError('it is over', workflowId, undefined);
      }),
  });
  const client = {
    withAbortSignal: (signal: AbortSignal, ask: () => unknown): unknown => tiedTo.run(signal, ask),
    withDeadline: (_deadline: number, ask: () => unknown): unknown => ask(),
    workflow: { getHandle },
    activity: {
      heartbeat: () => call(() => undefined),
      complete: () => call(() => Promise.reject(new ActivityNotFoundError('given up'))),
    },
  };
  return { told, client: client as unknown as Client };
}

/** Runs one of the activities that submit, for a run with this id, against a service that accepts everything. */
async function submit<Order>(
  which: (activities: ReturnType<typeof createActivities>) => (order: Order) => Promise<unknown>,
  order: Order,
  workflowId: string,
  client: Client,
  whenSent: (environment: MockActivityEnvironment) => void = () => undefined,
): Promise<void> {
  const info = { workflowExecution: { workflowId, runId: 'r' }, startToCloseTimeoutMs: 30_000 };
  const environment = activityEnvironment(info, { client });
  const server = await startRawServer((socket) => {
    whenSent(environment);
    socket.end(ACCEPTED);
  });
  const api = testApi(server.url);
  const activity = which(createActivities(api, { checkScheduledTime: false }));
  await expect(environment.run(activity, order)).rejects.toBeInstanceOf(CompleteAsyncError);
  await api.close();
  await server.stop();
}

const JOB = { tool: 'remove-background', request: REQUEST, attempt: 2 };
const SINGLE = { ...JOB, key: 'k', runId: 'r' };
const TO_JOB: Told = [['media/k'], acceptedSignal.name, { hold: 'r/2', taskId: 't-1' }];

test('P2: it is told to the job by signal, whichever run stands for it now', async () => {
  const { told, client } = serverThatGaveUp();
  await submit(({ submits }) => submits.submit, SINGLE, 'media/k', client);
  expect(told).toEqual([TO_JOB]);
});

test('P2: it is told although the worker has begun to shut down', async () => {
  const { told, client } = serverThatGaveUp();
  const shutDown = ({ cancel }: MockActivityEnvironment): void => {
    cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
  };
  await submit(({ submits }) => submits.submit, SINGLE, 'media/k', client, shutDown);
  expect(told).toEqual([TO_JOB]);
});

const CHUNK = {
  ...{ batch: 'b', chunk: 1, runId: 'r' },
  submissions: [
    { ...JOB, key: 'b~i7', item: 6 },
    { ...JOB, key: 'b~i8', item: 7, attempt: 1 },
  ],
};
const TO_PARTITION: Told = [
  ['batch-part/b~1'],
  lateTasksSignal.name,
  {
    tasks: [
      { item: 6, taskId: 't-1' },
      { item: 7, taskId: 't-1' },
    ],
  },
];

test('P2: those of a chunk are told to the partition', async () => {
  const { told, client } = serverThatGaveUp();
  await submit(({ chunks }) => chunks.submitChunk, CHUNK, 'batch-part/b~1', client);
  expect(told).toEqual([TO_PARTITION]);
});

test('P2: those of a partition that is over are told to the run that each item is now', async () => {
  const { told, client } = serverThatGaveUp((workflowId) => workflowId === 'batch-part/b~1');
  await submit(({ chunks }) => chunks.submitChunk, CHUNK, 'batch-part/b~1', client);
  expect(told).toEqual([
    TO_PARTITION,
    [['media/b~i7'], acceptedSignal.name, { hold: 'r/2', taskId: 't-1' }],
    [['media/b~i8'], acceptedSignal.name, { hold: 'r/1', taskId: 't-1' }],
  ]);
});
