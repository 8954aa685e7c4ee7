/** What a campaign learns of a job's end from the run itself, on a real server. */
import { randomUUID } from 'node:crypto';
import { readEnd, readEnds } from '../../../src/activities/runs';
import { type JobEnd } from '../../../src/contract';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import { SANDBOX_PLACES, seedRecord, seedTranscription, SRT } from '../../support/service/records';
import { addFault, useSandbox, startSandbox } from '../../support/service/sandbox';
import { startSmallService } from '../../support/service/smallService';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { activityEnvironment } from '../../support/servers/log';
import { asReport } from '../../support/builders/jobs';

const temporal = useTemporal();
const sandbox = useSandbox();

function endOf(workflowId: string, pointers?: string[]): Promise<JobEnd> {
  const environment = activityEnvironment({}, { client: temporal.client });
  return environment.run(readEnd, { workflowId, pointers });
}

const cutout = () => ({
  key: `end-${randomUUID()}`,
  tool: 'remove-background',
  request: { image_url: `${sandbox.url}/samples/shoe.png` },
});

/** A task that ends as the test says. */
async function endOfTask(body: unknown, pointers: string[]): Promise<JobEnd> {
  const taskId = `t-${randomUUID()}`;
  const service = await startSmallService({ [`GET /api/v1/tasks/${taskId}`]: { body } });
  const config = testConfig();
  const spec = { ...cutout(), taskId };
  await withWorker(temporal, config, service.url, () =>
    segueClient(temporal, config).media.run(spec).catch(asReport),
  );
  await service.stop();
  return endOf(mediaWorkflowId(spec.key), pointers);
}

describe('the end of a media job', () => {
  test('a job that succeeded: its task, links, and the values that were asked for', async () => {
    const info = {
      images: [
        { url: 'https://cdn.example/1.png', note: 'see https://elsewhere.example' },
        { url: 'http://cdn.example/2.png' },
        { url: 'https://cdn.example/1.png' },
        ...[3, 4, 5, 6].map((n) => ({ url: `https://cdn.example/${n}.png` })),
      ],
      none: null,
      long: 'x'.repeat(70_000),
      'odd/~name': 1,
    };
    const end = await endOfTask({ status: 'SUCCESS', info }, [
      '/images/0/url',
      '/none',
      '/odd~1~0name',
      '/images/9/url',
      '/images/0/href',
      '/images/length',
      '/long',
      '/long/x',
      'images',
    ]);
    expect(end).toEqual({
      is: 'succeeded',
      taskId: expect.stringMatching(/^t-/),
      links: [
        'https://cdn.example/1.png',
        'http://cdn.example/2.png',
        ...[3, 4, 5].map((n) => `https://cdn.example/${n}.png`),
      ],
      values: {
        '/images/0/url': { value: 'https://cdn.example/1.png' },
        '/none': { value: null },
        '/odd~1~0name': { value: 1 },
        '/images/9/url': { problem: expect.stringContaining('At /images there is a list of 7') },
        '/images/0/href': {
          problem: expect.stringContaining('At /images/0 there is an object with url, note'),
        },
        '/images/length': { problem: expect.stringContaining('At /images there is a list of 7') },
        '/long': { problem: expect.stringContaining('has 70002 bytes, more than 65536') },
        '/long/x': { problem: expect.stringContaining('At /long there is "xxx') },
        images: { problem: expect.stringContaining('is not a JSON pointer') },
      },
    });
    expect(JSON.stringify(end).length).toBeLessThan(3_000);
  });

  test('whose result was too large to keep', async () => {
    const end = await endOfTask({ status: 'SUCCESS', info: { x: 'x'.repeat(300_000) } }, ['/x']);
    expect(end).toMatchObject({ values: { '/x': { problem: expect.stringContaining('too many to keep') } } });
  });

  test('a job that failed: the words and the task', async () => {
    const end = await endOfTask({ status: 'FAILURE', info: { errors: ['no shoe in sight'] } }, ['/x']);
    expect(end).toEqual({
      is: 'failed',
      taskId: expect.stringMatching(/^t-/),
      error: 'the service ended its task as FAILURE: {"errors":["no shoe in sight"]}',
    });
  });

  test('a job that was stopped: the task that lists show', async () => {
    const paced = await startSandbox({ pace: { kind: 'polls', polls: 100_000 } });
    const config = testConfig();
    await withWorker(temporal, config, paced.url, async () => {
      const { media } = segueClient(temporal, config);
      const request = { image_url: `${paced.url}/samples/shoe.png` };
      const [cancelled, terminated] = await Promise.all([
        media.start({ ...cutout(), request }),
        media.start({ ...cutout(), request }),
      ]);
      for (const job of [cancelled, terminated])
        await eventually('a poll', async () => ((await job.state())?.polls ?? 0) > 0);
      expect(await endOf(cancelled.workflowId)).toEqual({ is: 'open' });
      const taskId = (await cancelled.state())?.taskId;
      await cancelled.cancel();
      await cancelled.wait();
      expect(await endOf(cancelled.workflowId)).toEqual({
        is: 'cancelled',
        taskId,
        error: 'it was cancelled',
      });
      await temporal.client.workflow.getHandle(terminated.workflowId).terminate('by hand');
      expect(await endOf(terminated.workflowId)).toEqual({
        is: 'terminated',
        taskId: expect.any(String),
        error: 'by hand',
      });
    });
    await paced.stop();
  });

  test('a job that was abandoned', async () => {
    const spec = cutout();
    const match = { requestId: `${spec.key}.submit.1` };
    await addFault(sandbox.url, { operation: 'remove-background', match, fault: 'reset', when: 'after' });
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const job = await segueClient(temporal, config).media.start(spec);
      expect(await job.wait()).toMatchObject({ status: 'held' });
      expect(await endOf(job.workflowId)).toEqual({ is: 'open' });
      await job.resolve({ action: 'abandon', by: 'sam', reason: 'not needed' });
      await job.wait();
      expect(await endOf(job.workflowId)).toMatchObject({
        is: 'abandoned',
        error: expect.stringContaining('not needed'),
      });
    });
  });
});

test('the end of a run that timed out, of the latest run of an id, and of none', async () => {
  const workflowId = mediaWorkflowId(`end-${randomUUID()}`);
  const start = (workflowRunTimeout?: number) =>
    temporal.client.workflow.start('media', {
      ...{ workflowId, taskQueue: `nobody-${randomUUID()}`, workflowRunTimeout },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
  await start(1_000);
  const end = await eventually('a timeout', async () => {
    const found = await endOf(workflowId);
    return found.is === 'open' ? undefined : found;
  });
  expect(end).toEqual({ is: 'failed', taskId: null, error: expect.stringMatching(/timed out/i) });
  const second = await start();
  expect(await endOf(workflowId)).toEqual({ is: 'open' });
  const list = [{ workflowId: 'media/never-there' }, { workflowId }];
  const environment = activityEnvironment({}, { client: temporal.client });
  expect(await environment.run(readEnds, list)).toEqual([{ is: 'gone' }, { is: 'open' }]);
  await second.terminate();
  expect(await endOf('media/never-there')).toEqual({ is: 'gone' });
});

test('the end of a transcript and of a wait', async () => {
  const config = testConfig();
  await withWorker(
    temporal,
    config,
    sandbox.url,
    async () => {
      const { transcripts, records } = segueClient(temporal, config);
      const transcript = await transcripts.run({ transcriptionId: await seedTranscription(sandbox.url) });
      expect(await endOf(transcript.workflowId, ['/text', '/format', ''])).toMatchObject({
        ...{ is: 'succeeded', taskId: null, links: [] },
        values: { '/text': { value: SRT }, '/format': { value: 'srt' }, '': { value: { text: SRT } } },
      });
      const id = await seedRecord(sandbox.url, 'asset', [4]);
      const wait = await records.run({ kind: 'asset', id });
      expect(await endOf(wait.workflowId, ['/status', '/url'])).toMatchObject({
        is: 'succeeded',
        values: { '/status': { value: 4 }, '/url': { problem: expect.stringContaining('status, id') } },
      });
    },
    { layout: SANDBOX_PLACES },
  );
});
