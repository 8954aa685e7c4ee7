/** Activities on a real server: what is asked again, what is not, and when. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { createActivities } from '../../../src/activities';
import { activityFailure } from '../../../src/activities/lib/failures';
import { NotConfiguredError, StatusError } from '../../../src/api/errors';
import { mediaTools, requestJsonSchema } from '../../../src/api/tools';
import { requestFrom } from '../../../src/cli/jobs/media';
import { segueCommand } from '../../../src/cli/main';
import { ASK, testApi } from '../../support/service/api';
import { answer, startRawServer } from '../../support/service/rawServer';
import { useTemporal } from '../../support/servers/temporal';
import { activityEnvironment } from '../../support/servers/log';

const temporal = useTemporal();
let workflowBundle: { code: string };

beforeAll(async () => {
  workflowBundle = await bundleWorkflowCode({
    workflowsPath: path.join(__dirname, 'readVoice.workflow.ts'),
    logger: new DefaultLogger('ERROR'),
  });
});

const FACTS = { operation: 'o', requestId: 'r' };
const VOICE = '0b6f2c9e-6f0e-4c55-9d3f-0d1e6a3f7b11';
const OK = answer('200 OK', JSON.stringify({ id: VOICE, gender: 0 }), ['connection: close']);

/** Reads a voice by a workflow, from a service that gives these answers in turn. */
async function readVoice(answers: string[], voice = VOICE): Promise<{ result: unknown; requests: string[] }> {
  const left = [...answers];
  const server = await startRawServer((socket) => socket.end(left.shift() ?? OK));
  const api = testApi(server.url);
  const taskQueue = `test-${randomUUID()}`;
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: createActivities(api).general,
  });
  const workflowId = `read-${randomUUID()}`;
  const reading = temporal.client.workflow.execute('readVoice', { workflowId, taskQueue, args: [voice] });
  const result: unknown = await worker.runUntil(reading.catch((error: unknown) => error));
  await api.close();
  await server.stop();
  return { result, requests: server.received.filter((request) => request !== '') };
}

describe('a read', () => {
  test.each([
    ['500', answer('500 Internal Server Error', 'oops')],
    ['408', answer('408 Request Timeout')],
    ['429', answer('429 Too Many Requests', '', ['retry-after: 1'])],
    ['an answer that is not JSON', answer('200 OK', '<html>')],
    ['an answer that is cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'],
  ])('is asked again after %s', async (_case, first) => {
    const { result, requests } = await readVoice([first]);
    expect(result).toMatchObject({ id: VOICE });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['401', answer('401 Unauthorized', '{"detail":"no key"}'), 'no key'],
    ['404', answer('404 Not Found'), 'another workspace'],
    ['422', answer('422 Unprocessable'), 'status 422'],
  ])('is not asked again after %s', async (_case, first, words) => {
    const { result, requests } = await readVoice([first]);
    const cause = { type: 'StatusError', message: expect.stringContaining(words) };
    expect(result).toMatchObject({ cause: { cause } });
    expect(requests).toHaveLength(1);
  });

  test('with a wrong request is not asked at all', async () => {
    const { result, requests } = await readVoice([], 'no-uuid');
    expect(result).toMatchObject({ cause: { cause: { type: 'InvalidRequestError' } } });
    expect(requests).toHaveLength(0);
  });

  test.each([
    [7_000, 7_000],
    [1, 1_000],
    [10 ** 12, 3_600_000],
    [undefined, undefined],
  ])('asked to wait %d ms, waits %d', (asked, waited) => {
    const refusal = new StatusError({ status: 425, serviceMessage: '', retryAfterMs: asked }, FACTS);
    const { nextRetryDelay, nonRetryable } = activityFailure(refusal);
    expect({ nextRetryDelay, nonRetryable }).toEqual({ nextRetryDelay: waited, nonRetryable: false });
  });

  test('is not asked again for a setting that is missing', () => {
    const missing = new NotConfiguredError({ setting: 'SEGUE_X', problem: 'p' }, FACTS);
    expect(activityFailure(missing)).toMatchObject({ type: 'NotConfiguredError', nonRetryable: true });
  });

  test('names run and step to the service', async () => {
    const { requests } = await readVoice([]);
    expect(requests[0]?.toLowerCase()).toMatch(/x-request-id: read-[0-9a-f-]+\.getvoice-1\.\d+\r/);
  });
});

test('an answer that no history could hold fails at once', async () => {
  const body = JSON.stringify({ x: 'x'.repeat(2 << 20) });
  const server = await startRawServer((socket) => socket.end(answer('200 OK', body)));
  const api = testApi(server.url);
  const { general } = createActivities(api);
  const reading = activityEnvironment({ startToCloseTimeoutMs: 30_000 }).run(general.getBoard, {
    request: { board_id: 'b' },
  });
  await expect(reading).rejects.toMatchObject({ type: 'AnswerTooLarge', nonRetryable: true });
  await api.close();
  await server.stop();
});

test.each(['input', 'key', 'json'])(
  'a tool cannot have a field called %s: its flag is taken',
  async (field) => {
    mediaTools['bad-tool'] = { path: '/x', about: 'x', request: z.strictObject({ [field]: z.string() }) };
    try {
      await expect(segueCommand('media')).rejects.toThrow(`conflicting flag '--${field}'`);
    } finally {
      Reflect.deleteProperty(mediaTools, 'bad-tool');
    }
  },
);

test('a new tool is one entry in one table: it has an activity, a command and a JSON Schema', async () => {
  mediaTools['draw-cat'] = {
    path: '/api/v1/tools/draw-cat',
    about: 'Draw a cat',
    request: z.strictObject({
      fur_color: z.string().describe('colour of the fur'),
      legs: z.int().nullable().optional(),
      toys: z.array(z.string()).optional(),
      asleep: z.boolean().optional(),
    }),
  };
  const server = await startRawServer((socket) => socket.end(answer('202 Accepted', '{"task_id":"cat-1"}')));
  const api = testApi(server.url);
  try {
    const { submits } = createActivities(api, { checkScheduledTime: false });
    const environment = activityEnvironment({ startToCloseTimeoutMs: 30_000 });
    const runId = environment.context.info.workflowExecution?.runId ?? '';
    const order = { key: 'k', attempt: 1, tool: 'draw-cat', request: { fur_color: 'red', legs: 4 }, runId };
    expect(await environment.run(submits.submit, order)).toEqual({ outcome: 'accepted', taskId: 'cat-1' });
    expect(server.received[0]).toContain('POST /api/v1/tools/draw-cat ');
    const wrong = { outcome: 'refused', reason: expect.stringContaining('fur_color: is required') };
    expect(await api.submit('draw-cat', { legs: 1 }, ASK)).toMatchObject(wrong);

    const program = await segueCommand('media');
    const run = program.commands[0]?.commands.find((candidate) => candidate.name() === 'run');
    const drawCat = run?.commands.find((candidate) => candidate.name() === 'draw-cat');
    expect(drawCat?.helpInformation()).toContain('--fur-color <value>');
    expect(drawCat?.helpInformation()).toContain('--legs <value>');
    drawCat?.exitOverride().action(() => undefined);
    await program.parseAsync([
      'node',
      'segue',
      'media',
      'run',
      'draw-cat',
      ...'--fur-color red --legs 4 --toys ball --toys mouse --no-asleep'.split(' '),
    ]);
    expect(requestFrom(mediaTools['draw-cat'], drawCat?.opts() ?? {})).toEqual({
      fur_color: 'red',
      legs: 4,
      toys: ['ball', 'mouse'],
      asleep: false,
    });
    expect(requestJsonSchema(mediaTools['draw-cat'])).toMatchObject({ required: ['fur_color'] });
  } finally {
    Reflect.deleteProperty(mediaTools, 'draw-cat');
    await api.close();
    await server.stop();
  }
});
