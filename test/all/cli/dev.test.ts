/** `segue dev` and `segue demo`: everything on one machine, with servers of their own. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { eventually } from '../../support/eventually';
import { readLedger } from '../../support/service/sandbox';
import { SegueProcess, spawnSegue } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';

const processes: SegueProcess[] = [];

afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.end('SIGTERM')));
});

interface Ports {
  temporal: number;
  ui: number;
  sandbox: number;
}

async function startDev(cwd: string, ports: Ports): Promise<SegueProcess> {
  const flags = ['--port', ports.temporal, '--ui-port', ports.ui, '--sandbox-port', ports.sandbox].map(
    String,
  );
  const dev = new SegueProcess(['dev', ...flags, '--pace', 'polls=3'], binary(), cwd);
  processes.push(dev);
  await dev.line(/^ready/);
  return dev;
}

const binary = (): Record<string, string> => ({ SEGUE_TEMPORAL_CLI: shared().temporalBinary });

/** Whether a process lives whose command line has all these words. */
function isAlive(...words: string[]): boolean {
  const commands = execFileSync('ps', ['-axo', 'args'], { encoding: 'utf8' }).split('\n');
  return commands.some((command) => words.every((word) => command.includes(word)));
}

/** Whether a Temporal server on this port lives. */
function serverIsAlive(port: number): boolean {
  return isAlive('start-dev', ` ${port} `);
}

describe('segue dev', () => {
  test('P1 P2: continues its job after a restart, refuses a second segue dev in the same folder, and leaves no Temporal server behind, even after kill -9', async () => {
    const cwd = await mkdtemp(path.join(shared().scratch, 'dev-'));
    const ports = { temporal: await freePort(), ui: await freePort(), sandbox: await freePort() };
    const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
    const settings = {
      TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
      SEGUE_POLL_MIN: '2s',
      SEGUE_POLL_MAX: '2s',
    };
    const first = await startDev(cwd, ports);
    const page = await fetch(`http://127.0.0.1:${ports.ui}`);
    expect(page.status).toBe(200);
    const key = `dev-${randomUUID()}`;
    const image = `${sandboxUrl}/samples/shoe.png`;
    const start = ['media', 'start', 'remove-background', '--image-url', image, '--key', key];
    expect(await spawnSegue(start, settings)).toMatchObject({ code: 0 });
    await eventually('the submission', async () => (await readLedger(sandboxUrl)).summary.submissions === 1);
    expect(serverIsAlive(ports.temporal)).toBe(true);
    expect(await first.end('SIGINT')).toMatchObject({ code: 0 });
    expect(serverIsAlive(ports.temporal)).toBe(false);

    const restarted = await startDev(cwd, ports);
    const followed = await spawnSegue(['media', 'follow', key, '--json'], settings);
    expect(followed).toMatchObject({ code: 0 });
    expect(JSON.parse(followed.stdout)).toMatchObject({ key, status: 'succeeded' });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });

    const second = await spawnSegue(
      ['dev', '--port', '0', '--ui-port', '0', '--sandbox-port', '0'],
      binary(),
      cwd,
    );
    expect(second).toMatchObject({ code: 4, stderr: expect.stringContaining('is in use by another segue') });
    expect(serverIsAlive(ports.temporal)).toBe(true);
    await restarted.end('SIGKILL');
    await eventually('the end of the server', () => !serverIsAlive(ports.temporal));
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s to it alone while it starts leaves no process behind',
    async (signal) => {
      const cwd = await mkdtemp(path.join(shared().scratch, 'dev-'));
      const [port, args] = [await freePort(), ['dev', '--ui-port', '0', '--sandbox-port', '0', '--port']];
      const starting = new SegueProcess([...args, String(port)], binary(), cwd);
      processes.push(starting);
      await eventually('the server', () => serverIsAlive(port));
      await starting.end(signal);
      await eventually('the end of the server', () => !serverIsAlive(port));

      // It never tells its version, and has a child of its own, as a build of the server has.
      const slow = path.join(cwd, 'temporal');
      await writeFile(slow, `#!/bin/sh\nsh -c 'sleep 600; : ${cwd}-child'\n`, { mode: 0o755 });
      const searching = new SegueProcess([...args, String(port)], { SEGUE_TEMPORAL_CLI: slow }, cwd);
      processes.push(searching);
      await eventually('the child', () => isAlive(`${cwd}-child`));
      await searching.end(signal);
      await eventually('the end of the child', () => !isAlive(cwd));
    },
  );
});

test('on a cluster that is there already, dev starts no server and takes a queue of its own', async () => {
  const cwd = await mkdtemp(path.join(shared().scratch, 'dev-'));
  const dev = new SegueProcess(
    // A port that is taken: no server is started there.
    ['dev', '--port', shared().devServerAddress.split(':')[1] ?? '', '--sandbox-port', '0'],
    { TEMPORAL_ADDRESS: shared().devServerAddress },
    cwd,
  );
  processes.push(dev);
  const queue = 'segue-dev-[0-9a-f]{8}';
  await dev.line(
    new RegExp(`^ready: polling ${queue}, ${queue}-poll, ${queue}-write, ${queue}-submit, ${queue}-batch$`),
  );
  expect(dev.stderr.join()).toContain('(TEMPORAL_ADDRESS)');
});

describe('segue demo', () => {
  test('runs a campaign, approves it, writes a report, says where to look, and ends with 0', async () => {
    const cwd = await mkdtemp(path.join(shared().scratch, 'demo-'));
    const { code, stdout } = await spawnSegue(['demo'], binary(), cwd);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^campaign\/demo-\d{8}T\d{6}Z succeeded, completed/m);
    expect(stdout).toContain('The service accepted 2 POSTs for 2 media jobs.');
    expect(stdout).toMatch(/segue dev --state/);
    expect(stdout).toMatch(/http:\/\/127.0.0.1:\d+\/namespaces\/default\/workflows\/campaign%2Fdemo-/);
    const report = await readFile(path.join(cwd, '.segue/demo/report.html'), 'utf8');
    for (const name of ['cutout', 'banner', 'intro']) expect(report).toContain(name);
    expect(report).toContain('data:image/');
  });
});

describe('segue temporal', () => {
  test('path prints the binary and nothing else; start serves until it is stopped', async () => {
    const { code, stdout, stderr } = await spawnSegue(['temporal', 'path'], binary());
    expect({ code, stdout }).toEqual({ code: 0, stdout: shared().temporalBinary });
    expect(stderr).toContain('named by SEGUE_TEMPORAL_CLI');
    const server = new SegueProcess(['temporal', 'start', '--port', '0', '--ui-port', '0'], binary());
    processes.push(server);
    await server.line(/^ready 127\.0\.0\.1:\d+ UI http/);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});
