/** P2: what becomes of a task id that the server does not take as a result any more. */
import { CompleteAsyncError } from '@temporalio/activity';
import { ActivityNotFoundError, type Client, WorkflowNotFoundError } from '@temporalio/client';
import { createActivities } from '../../../src/activities';
import { acceptedSignal, lateTasksSignal } from '../../../src/contract';
import { testApi } from '../../support/service/api';
import { startRawServer } from '../../support/service/rawServer';
import { ACCEPTED, REQUEST } from '../../support/service/submits';
import { activityEnvironment } from '../../support/servers/log';

type Told = [ids: string[], signal: string, news: unknown];

/** A server that has given every activity up, and what it was told by signal; runs that are over cannot be told. */
function serverThatGaveUp(isOver: (workflowId: string) => boolean = () => false) {
  const told: Told[] = [];
  const apart = (_limit: unknown, ask: () => unknown): unknown => ask();
  const getHandle = (...ids: string[]) => ({
    describe: () => Promise.reject(new WorkflowNotFoundError('no such batch', 'batch/b', undefined)),
    signal: (name: string, news: unknown) => {
      told.push([ids, name, news]);
      const [workflowId = ''] = ids;
      return isOver(workflowId)
        ? Promise.reject(new WorkflowNotFoundError('it is over', workflowId, undefined))
        : Promise.resolve();
    },
  });
  const client = {
    ...{ withAbortSignal: apart, withDeadline: apart, workflow: { getHandle } },
    activity: {
      heartbeat: () => Promise.resolve(),
      complete: () => Promise.reject(new ActivityNotFoundError('given up')),
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
): Promise<void> {
  const server = await startRawServer((socket) => socket.end(ACCEPTED));
  const api = testApi(server.url);
  const info = { workflowExecution: { workflowId, runId: 'r' }, startToCloseTimeoutMs: 30_000 };
  const environment = activityEnvironment(info, { client });
  const activity = which(createActivities(api, { checkScheduledTime: false }));
  await expect(environment.run(activity, order)).rejects.toBeInstanceOf(CompleteAsyncError);
  await api.close();
  await server.stop();
}

const JOB = { tool: 'remove-background', request: REQUEST, attempt: 2 };

test('P2: it is told to the job by signal, whichever run stands for it now', async () => {
  const { told, client } = serverThatGaveUp();
  await submit(({ submits }) => submits.submit, { ...JOB, key: 'k', runId: 'r' }, 'media/k', client);
  expect(told).toEqual([[['media/k'], acceptedSignal.name, { hold: 'r/2', taskId: 't-1' }]]);
});

const CHUNK = { batch: 'b', runId: 'r', submissions: [{ ...JOB, key: 'b~i7', item: 6 }] };
const TO_PARTITION: Told = [
  ['batch-part/b~1'],
  lateTasksSignal.name,
  { tasks: [{ item: 6, attempt: 2, taskId: 't-1' }] },
];

test('P2: of a chunk, it is told to the partition', async () => {
  const { told, client } = serverThatGaveUp();
  await submit(({ chunks }) => chunks.submitChunk, CHUNK, 'batch-part/b~1', client);
  expect(told).toEqual([TO_PARTITION]);
});

test('P2: of a partition that is over, it is told to the run that the item is now', async () => {
  const { told, client } = serverThatGaveUp((workflowId) => workflowId === 'batch-part/b~1');
  await submit(({ chunks }) => chunks.submitChunk, CHUNK, 'batch-part/b~1', client);
  expect(told).toEqual([TO_PARTITION, [['media/b~i7'], acceptedSignal.name, { hold: 'r/2', taskId: 't-1' }]]);
});
