/** The command as it is installed: a process, its streams, its exit codes. Other tests run commands within the test process. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { useProcesses } from '../../support/servers/processes';
import { spawnSegue } from '../../support/servers/segueProcess';
import { testConfig, useTemporal } from '../../support/servers/temporal';
import { addFault, readLedger } from '../../support/service/sandbox';
import { newKey } from '../../support/builders/jobs';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../../..');

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

test('help lists the commands, and loads no Temporal client for it', async () => {
  const script =
    "process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')));" +
    "require('./dist/cli/main.js').main(['node', 'segue', '--help']);";
  const { stdout, stderr } = await run(process.execPath, ['-e', script], { cwd: ROOT });
  for (const command of ['media', 'batch', 'campaign', 'schedule', 'held', 'resolve', 'worker', 'dev'])
    expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
  expect(stderr).toContain('/commander/');
  expect(stderr).not.toMatch(/@temporalio\/client\/|grpc-js/);
});

test('a wrong flag is exit 2 with one message on stderr; the version is exit 0 on stdout', async () => {
  const [wrong, version] = await Promise.all([
    spawnSegue(['media', 'run', 'remove-background', '--colour', 'red']),
    spawnSegue(['--version']),
  ]);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("'--colour'") });
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+$/), stderr: '' });
});

test('a manifest is read from stdin', async () => {
  const line = JSON.stringify({
    key: 'a',
    tool: 'remove-background',
    request: { image_url: 'https://x.example/a.png' },
  });
  const { stdout } = await run('sh', ['-c', `printf '%s\\n' "$1" | ./bin/segue batch check -`, 'sh', line], {
    cwd: ROOT,
  });
  expect(stdout).toContain('stdin: 1 item');
});

test('P1: a worker process and a waiting command: one POST, exit 0; one of unknown outcome is exit 3; SIGTERM drains', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'instant');
  const { taskQueue } = testConfig();
  const worker = await processes.worker(taskQueue, sandboxUrl);
  const settings = {
    ...{ TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: taskQueue },
    ...{ SEGUE_POLL_MIN: '50ms', SEGUE_POLL_MAX: '100ms' },
  };
  const [good, lost] = [newKey(), newKey()];
  await addFault(sandboxUrl, {
    operation: 'remove-background',
    match: { requestId: `${lost}.submit.1` },
    ...{ fault: 'reset', when: 'after' },
  });
  const start = (key: string) =>
    spawnSegue(
      [
        'media',
        'run',
        'remove-background',
        '--image-url',
        `${sandboxUrl}/samples/shoe.png`,
        '--key',
        key,
        '--json',
      ],
      settings,
    );
  const [done, held] = await Promise.all([start(good), start(lost)]);
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ key: good, status: 'succeeded' });
  expect(held.code).toBe(3);
  expect(JSON.parse(held.stdout)).toMatchObject({ key: lost, status: 'held' });
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 2, duplicates: 0 });
  const { code, stderr } = await worker.end('SIGTERM');
  expect(code).toBe(0);
  expect(stderr).toContain('draining');
});
