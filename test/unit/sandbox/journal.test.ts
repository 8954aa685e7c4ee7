/** What survives, and what the judge still knows then. */
import { type FileHandle, mkdtemp, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Sandbox, startSandbox } from '../../../sandbox/src/server';
import { eventually } from '../../support/eventually';
import { addFault, ask, readLedger } from '../../support/service/sandbox';
import { SegueProcess, spawnSegue } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';

let sandbox: Sandbox | undefined;
let db: string;

beforeEach(async () => {
  db = path.join(await mkdtemp(path.join(shared().scratch, 'sandbox-')), 'sandbox.ndjson');
});
afterEach(async () => {
  await sandbox?.stop();
  sandbox = undefined;
  jest.restoreAllMocks();
});

async function submit(url: string, requestId: string): Promise<string> {
  const { status, json } = await ask(url, 'POST /tools/remove-background', {
    body: { image_url: `${url}/samples/shoe.png` },
    headers: { 'x-request-id': requestId },
  });
  expect(status).toBe(202);
  return String(json.task_id);
}

const NOTICE = { userId: 'u', workspaceId: '1', title: 'T', message: 'M', category: 'agentProgress' };

test('kill -9 loses nothing that was acknowledged, and a torn last line is dropped', async () => {
  const first = new SegueProcess(['sandbox', '--port', '0', '--db', db]);
  const [, url = ''] = await first.line(/^ready (\S+)$/);
  const [ids] = await Promise.all([
    Promise.all([1, 2, 3, 4, 5].map((n) => submit(url, `job-${n}.submit.1`))),
    ask(url, 'PATCH /projects/document/17', { body: { data: { kept: true } } }),
    ask(url, 'POST /service/agent/notify', { body: NOTICE }),
  ]);
  const etag = (await ask(url, 'GET /projects/document/17')).headers.get('etag');
  await first.end('SIGKILL');
  await writeFile(db, `${await readFile(db, 'utf8')}{"changes":[{"type":"ta`);

  sandbox = await startSandbox({ db });
  const { entries, summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions: 5, duplicates: 0, patches: 1, notifications: 1 });
  expect(entries.flatMap(({ taskId }) => taskId ?? []).sort()).toEqual(ids.sort());
  const project = await ask(sandbox.url, 'GET /projects/document/17');
  expect([project.json.data, project.headers.get('etag')]).toEqual([{ kept: true }, etag]);
  expect((await ask(sandbox.url, 'GET /_sandbox/notifications')).json.notifications).toHaveLength(1);

  await submit(sandbox.url, 'job-5.submit.2');
  await sandbox.stop();
  sandbox = await startSandbox({ db });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 6, duplicates: 1 });
});

test('a task that was told to be over stays over, and a reset stays a reset', async () => {
  sandbox = await startSandbox({ db, pace: { kind: 'instant' } });
  const id = await submit(sandbox.url, 'a.submit.1');
  const told = (await ask(sandbox.url, `GET /tasks/${id}`)).json.status;
  expect(told).toBe('SUCCESS');
  await sandbox.stop();
  sandbox = await startSandbox({ db, pace: { kind: 'polls', polls: 9 } });
  expect((await ask(sandbox.url, `GET /tasks/${id}`)).json.status).toBe('SUCCESS');
  await ask(sandbox.url, 'POST /_sandbox/reset');
  await sandbox.stop();
  sandbox = await startSandbox({ db });
  expect((await ask(sandbox.url, `GET /tasks/${id}`)).status).toBe(404);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 0 });
});

test('lines of the ledger keep their numbers, and new ones do not take them', async () => {
  sandbox = await startSandbox({ db });
  await ask(sandbox.url, 'GET /workspaces/current');
  await submit(sandbox.url, 'a.submit.1');
  await sandbox.stop();
  sandbox = await startSandbox({ db });
  await submit(sandbox.url, 'b.submit.1');
  expect((await readLedger(sandbox.url)).entries.map(({ seq }) => seq)).toEqual([2, 3]);
});

test('a seed is used once: what was changed since is not undone by a restart', async () => {
  sandbox = await startSandbox({ db });
  expect(sandbox.seeded).toBe(true);
  await ask(sandbox.url, 'PATCH /projects/document/17', { body: { title: 'Changed' } });
  await sandbox.stop();
  sandbox = await startSandbox({ db });
  expect(sandbox.seeded).toBe(false);
  expect((await ask(sandbox.url, 'GET /projects/document/17')).json.title).toBe('Changed');
});

test.each([
  ['of other lines', '{"some":"thing"}\n'],
  ['without a line break', '{"some":"thing"}'],
])('a file %s is no journal: it is refused and left as it is', async (_case, content) => {
  await writeFile(db, content);
  await expect(startSandbox({ db })).rejects.toThrow(/line 1 was not written by this sandbox/);
  expect(await readFile(db, 'utf8')).toBe(content);
});

test('lines of any length and of all letters are read again as they were written', async () => {
  sandbox = await startSandbox({ db });
  const data = { long: 'é𝄞\u2028\n'.repeat(300_000), short: '' };
  await ask(sandbox.url, 'PATCH /projects/document/17', { body: { data } });
  await submit(sandbox.url, 'after.submit.1');
  await sandbox.stop();
  sandbox = await startSandbox({ db });
  expect((await ask(sandbox.url, 'GET /projects/document/17')).json.data).toEqual(data);
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ patches: 1, submissions: 1 });
});

describe('on a slow disk', () => {
  /** Ends the syncs that were begun, the oldest first, when it is told to. */
  async function holdSyncs(): Promise<(() => void)[]> {
    const file = await open(__filename);
    const disk = Object.getPrototypeOf(file) as FileHandle;
    await file.close();
    const held: (() => void)[] = [];
    jest.spyOn(disk, 'datasync').mockImplementation(() => new Promise((done) => held.push(done)));
    return held;
  }

  const patch = (url: string, title: string): Promise<unknown> =>
    ask(url, 'PATCH /projects/document/17', { body: { title } });

  test('nothing is told before the disk holds it, neither to its writer nor to a reader', async () => {
    sandbox = await startSandbox({ db });
    const { url } = sandbox;
    await ask(url, 'GET /projects/document/17');
    const held = await holdSyncs();
    const told: string[] = [];
    const asked = [patch(url, 'New').then(() => told.push('the writer'))];
    await eventually('the sync', () => held.length === 1);
    for (const line of [
      'GET /projects/document/17',
      'GET /_sandbox/ledger',
      'GET /_sandbox/notifications',
      'POST /_sandbox/reset',
    ]) {
      asked.push(ask(url, line).then(() => told.push(line)));
      // What needs no disk is answered, so what came before it would have been as well.
      await ask(url, 'GET /_sandbox/samples');
    }
    expect(told).toEqual([]);
    held.shift()?.();
    await eventually('the sync of the reset', () => held.length === 1);
    held.shift()?.();
    await Promise.all(asked);
  });

  test('a write is told when it is on the disk, however many others follow it', async () => {
    sandbox = await startSandbox({ db });
    const { url } = sandbox;
    await ask(url, 'GET /projects/document/17');
    const held = await holdSyncs();
    const first = patch(url, 'First');
    await eventually('the first sync', () => held.length === 1);
    const second = patch(url, 'Second');
    await eventually('both', async () => (await titleOnPage(url)) === 'Second');
    held.shift()?.();
    await first;
    await eventually('the second sync', () => held.length === 1);
    held.shift()?.();
    await second;
  });

  /** The page shows what is in memory. */
  async function titleOnPage(url: string): Promise<string | undefined> {
    return /<h3>(Second)<\/h3>/.exec(await (await fetch(url)).text())?.[1];
  }
});

describe('the command', () => {
  test('SIGTERM answers what it has, logs every request, and ends with 0', async () => {
    const running = new SegueProcess(['sandbox', '--port', '0', '--db', db]);
    const [, url = ''] = await running.line(/^ready (\S+)$/);
    const slow = { operation: 'remove-background', fault: 'delay', when: 'after', ms: 3_600_000 } as const;
    await addFault(url, { ...slow, match: { nth: 1 } });
    await addFault(url, { operation: 'get-task', match: { nth: 1 }, fault: 'reset', when: 'before' });
    const submitting = submit(url, 'slow.submit.1');
    await expect(ask(url, 'GET /tasks/x')).rejects.toThrow();
    await eventually('the submission', async () => (await readLedger(url)).summary.submissions === 1);
    const { code, stderr } = await running.end('SIGTERM');
    await submitting;
    expect(code).toBe(0);
    expect(stderr).toContain('GET /api/v1/tasks/x no answer');
    expect(stderr).toContain('POST /api/v1/tools/remove-background 202 slow.submit.1');
  });

  test('takes a seed, and names everything that is wrong with one', async () => {
    const seed = path.join(path.dirname(db), 'seed.json');
    await writeFile(seed, JSON.stringify({ workspaces: [{ id: 'x' }], voices: 1 }));
    const refused = await spawnSegue(['sandbox', '--port', '0', '--seed', seed]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(seed);
    expect(refused.stderr.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(4);

    await writeFile(seed, JSON.stringify({ workspaces: [{ id: 5, name: 'Five', slug: 'five' }] }));
    const running = new SegueProcess(['sandbox', '--port', '0', '--seed', seed]);
    const [, url = ''] = await running.line(/^ready (\S+)$/);
    expect((await ask(url, 'GET /workspaces/current')).json).toMatchObject({ workspace: { id: 5 } });
    await running.end();
  });

  test('lists the samples', async () => {
    const { code, stdout } = await spawnSegue(['sandbox', '--port', '4321', 'images']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toContain('http://127.0.0.1:4321/samples/shoe.png');
    const everywhere = await spawnSegue(['sandbox', '--port', '4321', '--host', '0.0.0.0', 'images']);
    expect(everywhere.stdout).toBe(stdout);
  });
});
