/** `segue batch`, as a person types it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { wantedFrom } from '../../../src/cli/batch/results';
import { fileName, type ResultWithFiles, type SavedFile } from '../../../src/client/files';
import { type BatchItem, type BatchItemResult } from '../../../src/contract';
import { batchOf, cutouts } from '../../support/builders/batch';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import { asReport, jsonLines } from '../../support/builders/jobs';
import { addFault, answering, ask, readLedger } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { SegueProcess } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { segueClient } from '../../support/servers/temporal';

const line = useCommandLine({ pace: { kind: 'instant' } });
const { sandbox, settings } = line;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'batch-'));
});

beforeEach(async () => {
  await ask(sandbox.url, 'POST /_sandbox/reset');
});

const newKey = (): string => `b-${randomUUID()}`;

function lineOf(key: string, sample = 'mug'): object {
  return { key, tool: 'remove-background', request: { image_url: `${sandbox.url}/samples/${sample}.png` } };
}

async function manifestOf(lines: object[]): Promise<string> {
  const file = path.join(folder, `${randomUUID()}.ndjson`);
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const batch = (...args: string[]) => segue(['batch', ...args], settings);

async function resultsOf(key: string, ...flags: string[]): Promise<BatchItemResult[]> {
  const { code, stdout } = await batch('results', key, ...flags);
  expect(code).toBe(0);
  return stdout === '' ? [] : stdout.split('\n').map((line) => JSON.parse(line) as BatchItemResult);
}

test('run waits for every item; results come in the order of the manifest; started again, nothing runs twice', async () => {
  const [key, names] = [newKey(), ['c', 'a', 'b']];
  const manifest = await manifestOf(names.map((name) => lineOf(name)));
  const run = await batch('run', manifest, '--key', key, '--concurrency', '2');
  expect(run).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`batch/${key} succeeded\n3 succeeded`),
  });
  expect(await resultsOf(key)).toMatchObject(names.map((name) => ({ key: name, status: 'succeeded' })));
  const again = await batch('start', manifest, '--key', key, '--json');
  expect(again.stderr).toContain('is not submitted again');
  expect(JSON.parse(again.stdout)).toMatchObject({ existing: true, status: 'succeeded' });
  const changed = path.join(folder, `${randomUUID()}.ndjson`);
  await writeFile(changed, ['c', 'x'].map((name) => `${JSON.stringify(lineOf(name))}\n\n`).join(''));
  const other = await batch('start', changed, '--key', key);
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('its manifest, or its scope or notify, differs'),
  });
  expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 3, duplicates: 0 });
});

test('results end without a word when nobody reads them any more', async () => {
  const { key } = await segueClient(line.temporal, line.config).batch.run(
    batchOf(cutouts(sandbox.url, 2), 2),
  );
  const results = new SegueProcess(['batch', 'results', key], settings);
  results.child.stdout?.destroy();
  expect(await results.ended()).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('what failed and what is held is told, 3 is the exit of both, and what failed is run again', async () => {
  const key = newKey();
  const lost = { operation: 'remove-background', fault: 'reset', when: 'after' } as const;
  await addFault(sandbox.url, { ...lost, match: { requestId: `${key}~i2.submit.1` } });
  const bad = { ...lineOf('bad'), request: { image_url: 'http://127.0.0.1:9/none.png' } };
  const manifest = await manifestOf([lineOf('good'), lineOf('lost'), bad]);
  const run = await batch('run', manifest, '--key', key, '--json');
  expect(run.code).toBe(3);
  expect(JSON.parse(run.stdout)).toMatchObject({
    ...{ status: 'held', stage: 'attention' },
    info: { counts: { succeeded: 1, failed: 1, held: 1 } },
  });
  expect(await resultsOf(key, '--status', 'held')).toMatchObject([
    { key: 'lost', workflowId: `media/${key}~i2` },
  ]);
  const retry = await batch('retry', key, '--json');
  expect(retry.stderr).toMatch(/^Not run again: 1 held\..*segue held/);
  expect(JSON.parse(retry.stdout)).toMatchObject({ key: `${key}+2`, existing: false, repeated: 1 });
  const corrected = await batch('results', key, '--status', 'failed', '--manifest');
  expect(corrected).toMatchObject({ code: 0, stderr: expect.stringContaining('1 line: correct them') });
  expect(jsonLines(corrected.stdout)).toEqual([bad]);
  const abandon = ['resolve', `media/${key}~i2`, '--abandon', '--reason', 'not needed'];
  expect(await segue(abandon, settings)).toMatchObject({ code: 0 });
});

test('list finds batches by stage, tells what became of their items, and shows no other runs', async () => {
  const { batch: batches } = segueClient(line.temporal, line.config);
  const [good, bad] = cutouts(sandbox.url, 2);
  const spec = batchOf(
    [good, { ...bad, request: { image_url: 'http://127.0.0.1:9/none.png' } }] as BatchItem[],
    2,
  );
  const { key } = await batches.run(spec).catch(asReport);
  await eventually('the batch in the list', async () => {
    for await (const entry of batches.list({ stage: 'completed' })) if (entry.key === key) return true;
    return false;
  });
  expect(await batches.count({ stage: 'completed' })).toBeGreaterThan(0);
  const rows = jsonLines((await batch('list', '--stage', 'completed', '--json')).stdout);
  expect(rows.find((row) => row.key === key)).toMatchObject({
    ...{ workflowId: `batch/${key}`, status: 'failed', stage: 'completed', error: null },
    counts: { succeeded: 1, failed: 1 },
  });
  expect(rows.every(({ workflowId }) => String(workflowId).startsWith('batch/'))).toBe(true);
  const shown = (await batch('list')).stdout.split('\n');
  expect(shown[0]).toMatch(/^KEY +STATUS +STAGE +ITEMS +STARTED$/);
  expect(shown.find((row) => row.startsWith(key))).toMatch(
    /failed +completed +1 succeeded, 1 failed +\S+ ago$/,
  );
});

test('results saves the files, goes on where it was stopped, and tells what cannot be had', async () => {
  const { batch: batches } = segueClient(line.temporal, line.config);
  const names = ['a', 'b/c', 'b_c'];
  const [one, two, three] = cutouts(sandbox.url, 3).map((item, n) => ({ ...item, key: names[n] ?? '' }));
  const { key } = await batches.run(batchOf([one, two, three] as BatchItem[], 2));
  const dir = path.join(folder, key, 'pictures');
  const save = ['results', key, '--download', dir, '--at', '/images'];
  const first = await batch(...save);
  expect(first.code).toBe(0);
  const files = jsonLines(first.stdout).map((row) => (row.files as SavedFile[])[0]?.path ?? '');
  expect(files).toEqual([
    path.join(dir, 'a-1.png'),
    expect.stringMatching(/\/b_c\.[\w-]+-1\.png$/),
    path.join(dir, 'b_c-1.png'),
  ]);

  const saved: ResultWithFiles[] = [];
  for await (const result of (await batches.get(key)).download({ into: dir, at: '/images' }))
    saved.push(result);
  expect(saved.map((result) => result.files?.[0])).toMatchObject(
    files.map((file) => ({ status: 'exists', path: file })),
  );
  const nowhere = (await batches.get(key)).download({ into: '/dev/null/x', at: '/images' });
  await expect(nowhere.next()).rejects.toThrow('into: /dev/null/x cannot be used as a folder');

  // The service forgets its pictures. What a killed command had begun does not count as saved.
  await ask(sandbox.url, 'POST /_sandbox/reset');
  const part = path.join(dir, `.a-1.png.${randomUUID()}.part`);
  await rename(files[0] ?? '', part);
  const again = await batch(...save);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/^a: http\S+ could not be saved: .*status 404/);
  expect(again.stderr).toContain('0 files saved, 2 there before, 1 could not be saved');
  expect(jsonLines(again.stdout)).toMatchObject([
    { key: 'a', files: [{ status: 'failed' }] },
    { key: 'b/c', files: [{ status: 'exists' }] },
    { key: 'b_c', files: [{ status: 'exists' }] },
  ]);
});

test('which results are wanted is checked before anything is asked, in one message', () => {
  expect(() => wantedFrom({ at: '/images' })).toThrow(/^Nothing was read:\n {2}--at: .*give --download/);
  expect(() => wantedFrom({ download: 'x' })).toThrow('--download: needs --at');
  expect(() => wantedFrom({ download: 'x', at: 'images' })).toThrow('is not a JSON pointer');
  expect(() => wantedFrom({ download: 'x', at: '/images', status: 'failed' })).toThrow('only items that');
  expect(() => wantedFrom({ manifest: true, status: 'held' })).toThrow(
    '--manifest: only with --status failed',
  );
  expect(wantedFrom({ download: 'x', at: '' })).toMatchObject({ target: { into: 'x', at: '' } });
  expect([fileName('mug-7'), fileName('.x').startsWith('_x.'), fileName('..')]).toEqual([
    ...['mug-7', true],
    expect.stringMatching(/^_\.\./),
  ]);
});

test('start returns when all is handed over; status, pause, concurrency, resume and cancel speak to it', async () => {
  const key = newKey();
  await addFault(sandbox.url, answering(503, 'get-task'));
  const manifest = await manifestOf(['a', 'b', 'c'].map((name) => lineOf(name)));
  const ofWorkspace = ['--organization', '42', '--space', 's-1'];
  const started = await batch('start', manifest, '--key', key, '--concurrency', '1', ...ofWorkspace);
  expect([started.code, started.stdout]).toEqual([0, `batch/${key}`]);
  const { raw } = await line.temporal.client.workflow.getHandle(`batch/${key}`).describe();
  expect(raw.workflowExecutionInfo?.priority).toMatchObject({ priorityKey: 4, fairnessKey: '42' });
  expect(await batch('pause', key, '--by', 'u-1', '--reason', 'lunch')).toMatchObject({ code: 0 });
  const status = await batch('status', key);
  expect(status.stdout).toMatch(new RegExp(`^${key}: paused, 0 of 3 items over`));
  expect(status.stdout).toContain('paused by u-1: lunch');
  expect(await batch('concurrency', key, '--to', '2')).toMatchObject({ code: 0 });
  expect(await batch('resume', key)).toMatchObject({ code: 0 });
  expect(await batch('resume', key)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not paused'),
  });
  expect(await batch('follow', key, '--timeout', '1s')).toMatchObject({ code: 5 });
  expect(await batch('cancel', key)).toMatchObject({ code: 0 });
  expect(await batch('follow', key, '--json')).toMatchObject({ code: 1 });
});

test('what is wrong is told at once, and nothing is started', async () => {
  const key = newKey();
  const manifest = await manifestOf([lineOf('a'), { tool: 'x' }, lineOf('a')]);
  const { code, stderr } = await batch('start', manifest, '--key', key);
  expect(code).toBe(2);
  expect(stderr).toContain(`${manifest}:2: `);
  expect(stderr).toContain(`${manifest}:3: `);
  expect(await batch('run', manifest, '--check', '--skip-bad')).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('1 item in 1 partition, of 3 lines: 2 bad') },
  });
  expect(await batch('status', key)).toMatchObject({ code: 1 });
  expect(await batch('start', manifest, '--skip-bad', '--key', `${key}+2`)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('--key: must be 1 to 120 letters') },
  });
  const nobody = await batch('start', manifest, '--key', key, '--notify', 'nobody', '--space', 'ä');
  expect(nobody).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--notify: .*\n.*--space: must be/),
  });
  expect(await batch('results', key, '--status', 'lost', '--at', '/x')).toMatchObject({ code: 2 });
  expect(await batch('list', '--stage', 'nowhere')).toMatchObject({ code: 2 });
  expect(await batch('status', 'media/x')).toMatchObject({ code: 2 });
  expect(await batch('start', manifest, '--key', key, '--skip-bad')).toMatchObject({ code: 0 });
});
