/** The media workflow on a real Temporal server, against the sandbox over real sockets; its ledger is the judge. */
import { freePort } from '@segue/devserver';
import { JobFailed, JobHeld } from '../../../src/client/unsuccessful';
import { InvalidInput, KeyReused, NoSuchJob } from '../../../src/errors';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import { answer, startRawServer } from '../../support/service/rawServer';
import { readLedger, useSandbox, startSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { randomUUID } from 'node:crypto';
import { OWN_START, untilEnded } from '../../support/builders/jobs';

const temporal = useTemporal();
const sandbox = useSandbox({ pace: { kind: 'polls', polls: 3 } });

function job(overrides: Record<string, unknown> = {}) {
  return {
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandbox.url}/samples/shoe.png` },
    ...overrides,
  };
}

async function submissionsOf(key: string): Promise<number> {
  const { entries } = await readLedger(sandbox.url);
  return entries.filter(
    ({ kind, applied, requestId }) => kind === 'submit' && applied && requestId?.startsWith(`${key}.`),
  ).length;
}

describe('a media job', () => {
  test('P1 P2: is submitted once, polled until the service says SUCCESS, and gives the result', async () => {
    const config = testConfig();
    const spec = job();
    await withWorker(temporal, config, sandbox.url, async () => {
      const report = await segueClient(temporal, config).media.run(spec);
      expect(report).toMatchObject({
        key: spec.key,
        status: 'succeeded',
        stage: 'succeeded',
        existing: false,
        error: null,
      });
      expect(report.info).toEqual({
        sandbox: true,
        images: [{ url: `${sandbox.url}/results/${report.taskId}/0` }],
      });
      const result = await temporal.client.workflow.getHandle(report.workflowId).result();
      expect(result).toMatchObject({ polls: 3, taskId: report.taskId, status: 'succeeded' });
    });
    expect(await submissionsOf(spec.key)).toBe(1);
  });

  test('its progress is each state that is new, then its report', async () => {
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const started = await segueClient(temporal, config).media.start(job());
      const states = started.progress();
      const seen: string[] = [];
      for (;;) {
        const { done, value } = await states.next();
        if (done) {
          expect(value).toMatchObject({ status: 'succeeded' });
          break;
        }
        seen.push(JSON.stringify(value));
      }
      expect(seen.filter((state, index) => state === seen[index - 1])).toEqual([]);
    });
  });

  test('`run` with a signal that is aborted already starts nothing', async () => {
    const spec = job();
    const { media } = segueClient(temporal, testConfig());
    await expect(media.run(spec, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
      'too late',
    );
    await expect(media.get(spec.key)).rejects.toThrow(NoSuchJob);
  });

  test('an abort ends the waiting of `run` with its reason, and the job continues', async () => {
    const config = testConfig();
    const spec = job();
    const { media } = segueClient(temporal, config);
    const stop = new AbortController();
    const waiting = media.run(spec, { signal: stop.signal });
    setTimeout(() => {
      stop.abort(new Error('enough'));
    }, 200);
    await expect(waiting).rejects.toThrow('enough');
    await withWorker(temporal, config, sandbox.url, async () => {
      expect(await media.run(spec)).toMatchObject({ status: 'succeeded', existing: true });
    });
    expect(await submissionsOf(spec.key)).toBe(1);
  });

  test('P1: the same key gives the same run back, while it runs and after it closed', async () => {
    const config = testConfig();
    const spec = job();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const [first, second] = await Promise.all([media.start(spec), media.start(spec)]);
      expect(first.runId).toBe(second.runId);
      expect([first.existing, second.existing].sort()).toEqual([false, true]);
      expect(await first.wait()).toMatchObject({ status: 'succeeded' });
      const afterwards = await media.run(spec);
      expect(afterwards).toMatchObject({ status: 'succeeded', runId: first.runId, existing: true });
    });
    expect(await submissionsOf(spec.key)).toBe(1);
  });

  test('P1: without a key, the same request is the same job', async () => {
    const config = testConfig();
    const request = { image_url: `${sandbox.url}/samples/mug.png?${randomUUID()}` };
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const first = await media.run({ tool: 'remove-background', request });
      const second = await media.run({ tool: 'remove-background', request: { ...request } });
      expect(second).toMatchObject({ runId: first.runId, key: first.key, existing: true });
      expect(await submissionsOf(first.key)).toBe(1);
    });
  });

  test('the same key with another request is refused, and the job it has is not touched', async () => {
    const config = testConfig();
    const spec = job();
    const { media } = segueClient(temporal, config);
    const { runId } = await media.start(spec);
    const other = { ...spec, request: { image_url: `${sandbox.url}/samples/mug.png` } };
    await expect(media.start(other)).rejects.toThrow(KeyReused);
    expect(await media.get(spec.key)).toMatchObject({ runId });
    await temporal.client.workflow.getHandle(mediaWorkflowId(spec.key)).terminate();
  });

  test('wrong input starts nothing and names every problem', async () => {
    const { media } = segueClient(temporal, testConfig());
    const spec = job({ key: 'a/b', request: { image_url: 'x', colour: 1 }, poll: { min: '5' } });
    const error: unknown = await media.start(spec).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidInput);
    expect((error as InvalidInput).problems).toHaveLength(4);
    await expect(media.get('a/b')).rejects.toThrow('There is no run media/a/b');
  });

  test("P2: a task that the service ends as FAILURE fails the run with the service's errors and the task id", async () => {
    const config = testConfig();
    const spec = job({ request: { image_url: 'https://images.example.com/a.png' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const failed: unknown = await media.run(spec).catch((e: unknown) => e);
      expect(failed).toBeInstanceOf(JobFailed);
      expect(failed).toMatchObject({
        message: expect.stringContaining('FAILURE'),
        taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        report: {
          status: 'failed',
          error: expect.stringContaining('FAILURE'),
          info: { errors: [expect.stringContaining('images.example.com')] },
        },
      });
      const { report } = failed as JobFailed;
      expect(await (await media.get(spec.key)).wait()).toEqual({ ...report, existing: true });
      await expect((await media.get(spec.key)).result()).rejects.toThrow(JobFailed);
    });
    expect(await submissionsOf(spec.key)).toBe(1);
  });

  test("P2: a refusal fails the run with the service's words", async () => {
    const server = await startRawServer((socket) =>
      socket.end(answer('422 Unprocessable', '{"detail":"too small"}')),
    );
    const config = testConfig();
    await withWorker(temporal, config, server.url, async () => {
      const failed = segueClient(temporal, config).media.run(job());
      await expect(failed).rejects.toThrow(JobFailed);
      await expect(failed).rejects.toThrow('too small');
    });
    expect(server.received).toHaveLength(1);
    await server.stop();
  });

  test('P1: a submission whose answer was lost is held, not sent again', async () => {
    const server = await startRawServer((socket) => socket.resetAndDestroy());
    const config = testConfig();
    const spec = job();
    await withWorker(temporal, config, server.url, async () => {
      const { media } = segueClient(temporal, config);
      const error: unknown = await media.run(spec).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(JobHeld);
      const { report, job: held } = error as JobHeld;
      expect(report).toMatchObject({ status: 'held', stage: 'held', taskId: null });
      expect(await held.state()).toMatchObject({
        hold: { id: `${report.runId}/1`, why: 'unknown' },
        attempts: [{ n: 1, outcome: 'unknown' }],
      });
      const stopped = held.result({ signal: AbortSignal.timeout(100) });
      await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' });
      const end = held.result();
      end.catch(() => undefined);
      await temporal.client.workflow.getHandle(report.workflowId).cancel();
      await expect(end).rejects.toMatchObject({ name: 'JobFailed', report: { status: 'cancelled' } });
    });
    expect(server.received).toHaveLength(1);
    await server.stop();
  });

  test('P1: a submission that was never sent waits and is tried again', async () => {
    const config = testConfig();
    const spec = job();
    const port = await freePort();
    await withWorker(temporal, config, `http://127.0.0.1:${port}`, async () => {
      const started = await segueClient(temporal, config).media.start(spec);
      await eventually('the first attempt', async () => (await started.state())?.stage === 'waiting');
      const late = await startSandbox({ port, pace: { kind: 'instant' } });
      expect(await started.wait()).toMatchObject({ status: 'succeeded' });
      expect((await readLedger(late.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
      await late.stop();
    });
  });

  test('P2: poll errors are no news', async () => {
    let polls = 0;
    const server = await startRawServer((socket, request) => {
      if (request.startsWith('POST')) socket.end(answer('202 Accepted', '{"task_id":"t-1"}'));
      else if (++polls === 1) socket.end(answer('500 Internal Server Error', 'oops'));
      else if (polls === 2) socket.resetAndDestroy();
      else if (polls === 3) socket.end(answer('200 OK', '{"status":"SOMETHING_NEW"}'));
      else if (polls === 4) socket.end(answer('200 OK', '{"status":7}'));
      else socket.end(answer('200 OK', '{"status":"SUCCESS","info":{"a":[1]}}'));
    });
    const config = testConfig();
    await withWorker(temporal, config, server.url, async () => {
      const report = await segueClient(temporal, config).media.run(job());
      expect(report).toMatchObject({ status: 'succeeded', info: { a: [1] }, error: null });
    });
    expect(polls).toBe(5);
    await server.stop();
  });

  test('P1: a run started under an id that is not its own ends before it submits', async () => {
    const config = testConfig();
    const spec = job();
    await withWorker(temporal, config, sandbox.url, async () => {
      const running = temporal.client.workflow.execute('media', {
        memo: OWN_START,
        workflowId: `other-${randomUUID()}`,
        taskQueue: config.taskQueue,
        args: [spec],
      });
      await expect(running).rejects.toMatchObject({
        cause: { type: 'UnsafeStart', message: expect.stringContaining('its workflow id is') },
      });
    });
    expect(await submissionsOf(spec.key)).toBe(0);
  });

  test('P1: a run started with what only a continued one carries ends before it submits', async () => {
    const config = testConfig();
    const spec = job();
    await withWorker(temporal, config, sandbox.url, async () => {
      const run = await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId: mediaWorkflowId(spec.key),
        taskQueue: config.taskQueue,
        args: [{ ...spec, carried: { listeners: 5 } }],
      });
      await untilEnded(run);
      await expect(run.result()).rejects.toMatchObject({
        cause: { type: 'UnsafeStart', message: expect.stringContaining('`carried`') },
      });
    });
    expect(await submissionsOf(spec.key)).toBe(0);
  });

  test('P1: a run with a cron schedule ends before it submits', async () => {
    const config = testConfig();
    const spec = job();
    await withWorker(temporal, config, sandbox.url, async () => {
      const handle = await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId: mediaWorkflowId(spec.key),
        taskQueue: config.taskQueue,
        args: [spec],
        cronSchedule: '@every 1s',
      });
      const first = temporal.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId);
      const failure = await eventually('the end of the first run', async () => {
        const { events } = await first.fetchHistory();
        return events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure ?? undefined;
      });
      await temporal.client.workflow.getHandle(handle.workflowId).terminate();
      expect(failure.applicationFailureInfo?.type).toBe('UnsafeStart');
      expect(failure.message).toContain('cron schedule');
    });
    expect(await submissionsOf(spec.key)).toBe(0);
  });

  test("P1: a starter's retry policy does not submit twice", async () => {
    const config = testConfig();
    const spec = job({ request: { image_url: 'https://images.example.com/a.png' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      const handle = await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId: mediaWorkflowId(spec.key),
        taskQueue: config.taskQueue,
        args: [{ ...spec, poll: config.poll }],
        retry: { maximumAttempts: 3, initialInterval: '100ms' },
      });
      await expect(handle.result()).rejects.toThrow();
    });
    expect(await submissionsOf(spec.key)).toBe(1);
  });
});
