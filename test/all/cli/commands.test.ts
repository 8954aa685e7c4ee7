/** The command as a person types it. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { startDevServer } from '../../support/servers/devServer';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import { newKey, startJob, untilSubmitted } from '../../support/builders/jobs';
import { startRawServer } from '../../support/service/rawServer';
import { segue } from '../../support/servers/segueCommand';
import { SegueProcess, spawnSegue } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { testConfig, withWorker } from '../../support/servers/temporal';

const line = useCommandLine();
const { temporal, sandbox, settings } = line;

const image = (): string => `${sandbox.url}/samples/shoe.png`;

describe('segue media', () => {
  test('run waits for the result and prints one JSON object, the same again for the same key', async () => {
    const key = newKey();
    const args = [
      'media',
      'run',
      'remove-background',
      '--image-url',
      image(),
      '--magic-crop',
      '--key',
      key,
      '--json',
    ];
    const first = await segue(args, settings);
    expect(first).toMatchObject({ code: 0 });
    const report = JSON.parse(first.stdout) as Record<string, unknown>;
    expect(report).toEqual({
      workflowId: `media/${key}`,
      runId: expect.any(String),
      key,
      status: 'succeeded',
      stage: 'succeeded',
      taskId: expect.any(String),
      info: { sandbox: true, images: [{ url: expect.any(String) }] },
      existing: false,
      error: null,
    });
    const second = await segue(args, settings);
    expect(JSON.parse(second.stdout)).toEqual({ ...report, existing: true });
    expect(second.stderr).toMatch(
      /media\/cli-\S+ exists: started .* ago, succeeded\. Nothing is submitted again/,
    );
  });

  test('start returns at once with the id and how to watch it, and says that no worker polls', async () => {
    const key = newKey();
    // A queue that nobody ever polled: the server remembers pollers for minutes.
    const fresh = testConfig();
    const lonely = { ...settings, SEGUE_TASK_QUEUE: fresh.taskQueue };
    const start = ['media', 'start', 'remove-background', '--image-url', image(), '--key', key];
    const started = await segue(start, lonely);
    expect(started).toMatchObject({ code: 0, stdout: `media/${key}` });
    expect(started.stderr).toContain('No worker polls the task queue');
    expect(started.stderr).toContain(`segue media follow ${key}`);

    const stopped = await segue(['media', 'follow', key, '--timeout', '50ms'], lonely);
    expect(stopped.code).toBe(5);
    await withWorker(temporal, fresh, sandbox.url, async () => {
      expect(await segue(['media', 'follow', key], lonely)).toMatchObject({ code: 0 });
    });
    const shown = await segue(['media', 'show', key], lonely);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`media/${key} succeeded`) });
  });

  test('a job that fails ends with 1, a key that asks for something else with 2, an unknown key with 1', async () => {
    const key = newKey();
    const run = ['media', 'run', 'remove-background', '--key', key, '--json', '--image-url'];
    const failed = await segue([...run, 'https://images.example.com/a.png'], settings);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('FAILURE'),
    });
    const reused = await segue([...run, image()], settings);
    expect(reused.code).toBe(2);
    expect(JSON.parse(reused.stdout)).toMatchObject({
      error: expect.stringContaining('asks for something else'),
    });
    expect((await segue(['media', 'show', newKey()], settings)).code).toBe(1);
  });
});

describe('segue media, when it does not end well', () => {
  test('a job that is held ends with 3', async () => {
    const server = await startRawServer((socket) => socket.resetAndDestroy());
    const own = testConfig();
    const key = newKey();
    await withWorker(temporal, own, server.url, async () => {
      const args = ['media', 'run', 'remove-background', '--image-url', image(), '--key', key, '--json'];
      const held = await segue(args, { ...settings, SEGUE_TASK_QUEUE: own.taskQueue });
      expect(held.code).toBe(3);
      expect(JSON.parse(held.stdout)).toMatchObject({ key, status: 'held', stage: 'held' });
      await temporal.client.workflow.getHandle(`media/${key}`).terminate();
      const shown = await segue(['media', 'show', key, '--json'], settings);
      expect(JSON.parse(shown.stdout)).toMatchObject({ key, status: 'terminated' });
    });
    await server.stop();
  });

  test('Ctrl-C stops waiting with 5 and says where the job stands; the job goes on', async () => {
    const key = newKey();
    // It is with the service for as long as nobody has it asked.
    const poll = { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } as const;
    const job = await startJob(line, key, { poll });
    await untilSubmitted(line, key);
    const following = new SegueProcess(['media', 'follow', key], settings);
    await eventually('the first word', () => following.stderr.join().includes('polling'));
    const stopped = await following.end('SIGINT');
    expect(stopped).toMatchObject({ code: 5, stdout: expect.stringContaining(`media/${key} running`) });
    while ((await job.pollNow()).stage === 'polling');
    expect(await segue(['media', 'follow', key], settings)).toMatchObject({ code: 0 });
  });

  test('a Temporal server that goes away while it waits: 4, with the job in the JSON', async () => {
    const server = await startDevServer(shared().temporalBinary, { uiPort: false });
    const key = newKey();
    const lonely = { ...settings, TEMPORAL_ADDRESS: server.address };
    await segue(['media', 'start', 'remove-background', '--image-url', image(), '--key', key], lonely);
    const following = new SegueProcess(['media', 'follow', key, '--json'], lonely);
    await eventually('its connection', () => following.stderr.join().includes('waiting for'));
    await server.stop();
    const { code, stdout } = await following.ended();
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ key, workflowId: `media/${key}`, status: 'running' });
  });
});

describe('bad input', () => {
  test.each([
    ['no image', ['media', 'run', 'remove-background'], /image_url: is required/],
    [
      'an unknown flag',
      ['media', 'run', 'remove-background', '--image-url', 'https://a/b.png', '--nope'],
      /--nope/,
    ],
    ['an unknown tool', ['media', 'run', 'paint'], /paint/],
    ['an unknown command', ['frobnicate'], /frobnicate/],
    ['a bare number', ['media', 'follow', 'k', '--timeout', '5'], /a number with a unit/],
    ['a port that is none', ['sandbox', '--port', '70000'], /0 to 65535/],
    ['a pace that is none', ['sandbox', '--pace', 'slow'], /polls=N/],
  ])('%s ends with 2 before anything starts', async (_case, args, message) => {
    const { code, stderr, stdout } = await segue(args, settings);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('all problems of a request and its key are listed at once', async () => {
    const args = [
      'media',
      'start',
      'remove-background',
      '--image-url',
      'x',
      '--background-color',
      'red',
      '--key',
      'a b',
      '--output-format',
      'gif',
    ];
    const { code, stderr } = await segue([...args, '--json'], settings);
    expect(code).toBe(2);
    for (const problem of ['key:', 'image_url:', 'background_color:', 'output_format:'])
      expect(stderr).toContain(problem);
  });

  test('a worker names every wrong setting before it starts', async () => {
    const { code, stderr } = await spawnSegue(['worker'], {
      ...settings,
      SEGUE_POLL_MIN: '1',
      SEGUE_POL_MAX: '2s',
    });
    expect(code).toBe(2);
    for (const name of ['SEGUE_POLL_MIN:', 'SEGUE_API_URL:', 'SEGUE_API_KEY or SEGUE_API_TOKEN:']) {
      expect(stderr).toContain(name);
    }
    expect(stderr).toContain('warning: SEGUE_POL_MAX is not a setting');
  });

  test('a cluster that cannot be reached ends with 4 and says where it was looked for', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const worker = { TEMPORAL_ADDRESS: address, SEGUE_API_URL: sandbox.url, SEGUE_API_KEY: 'k' };
    // Each tries for some seconds; side by side they try once.
    const [shown, started] = await Promise.all([
      segue(['media', 'show', 'k', '--json'], { TEMPORAL_ADDRESS: address }),
      spawnSegue(['worker'], worker),
    ]);
    expect(shown.code).toBe(4);
    expect(shown.stderr).toContain(`Temporal at ${address} cannot be reached`);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      workflowId: null,
      error: expect.stringContaining(address),
    });
    expect(started).toMatchObject({ code: 4, stderr: expect.stringContaining(address) });
  });

  test('dev refuses ports that are taken, naming each, and leaves nothing behind', async () => {
    const taken = new URL(sandbox.url).port;
    const cwd = await mkdtemp(path.join(shared().scratch, 'dev-'));
    const args = ['dev', '--port', taken, '--ui-port', '0', '--sandbox-port', taken];
    const { code, stderr } = await spawnSegue(args, {}, cwd);
    expect(code).toBe(4);
    expect(stderr).toContain(`port ${taken} is taken; choose another with --port`);
    expect(stderr).toContain('--sandbox-port');
  });

  test('a taken port ends the sandbox with 4, a namespace that is not there a read with 4', async () => {
    const port = new URL(sandbox.url).port;
    const taken = await segue(['sandbox', '--port', port]);
    expect(taken).toMatchObject({ code: 4, stderr: expect.stringContaining(`port ${port} is taken`) });
    const elsewhere = { ...settings, TEMPORAL_NAMESPACE: 'nowhere' };
    expect(await segue(['media', 'show', 'k'], elsewhere)).toMatchObject({ code: 4 });
  });

  test('the request may come from a file, and flags go over it', async () => {
    const file = path.join(await mkdtemp(path.join(shared().scratch, 'input-')), 'request.json');
    const start = (...more: string[]) =>
      segue(['media', 'start', 'remove-background', '--input', file, '--json', ...more], settings);
    expect(await start()).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
    await writeFile(file, '{"image_url":');
    expect(await start()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') });
    await writeFile(file, '[]');
    expect(await start()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be a JSON object'),
    });
    await writeFile(file, JSON.stringify({ image_url: 'x', output_format: 'jpeg' }));
    const key = newKey();
    expect(await start('--image-url', image(), '--key', key)).toMatchObject({ code: 0 });
    const { events } = await temporal.client.workflow.getHandle(`media/${key}`).fetchHistory();
    const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data ?? '';
    const input = JSON.parse(Buffer.from(payload).toString()) as { request: unknown };
    expect(input.request).toEqual({ image_url: image(), output_format: 'jpeg' });
    await temporal.client.workflow.getHandle(`media/${key}`).terminate();
  });

  test('help ends with 0', async () => {
    const { code, stdout } = await segue(['media', 'run', 'remove-background', '--help']);
    expect(code).toBe(0);
    for (const flag of ['--image-url', '--magic-crop', '--background-color', '--output-format <png|jpeg>']) {
      expect(stdout).toContain(flag);
    }
  });
});
