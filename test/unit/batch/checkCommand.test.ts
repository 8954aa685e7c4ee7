/** `segue batch check`, as a person types it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { segue } from '../../support/servers/segueCommand';
import { shared } from '../../support/jest/shared';
import { type SmallService, startSmallService } from '../../support/service/smallService';

const SEGUE = path.resolve(__dirname, '../../../bin/segue');

const good = (n: number, members = {}): string =>
  JSON.stringify({
    tool: 'remove-background',
    request: { image_url: `https://example.com/${n}.png` },
    ...members,
  });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'check-'));
});

async function fileOf(name: string, ...lines: string[]): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

test('what is good is counted', async () => {
  const lines = Array.from({ length: 501 }, (_, n) => good(n, { key: `k${n}` }));
  const file = await fileOf('good.ndjson', ...lines);
  expect(await segue(['batch', 'check', file])).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: `${file}: 501 items in 2 partitions, of 501 lines`,
  });
});

describe('what is bad', () => {
  const lines = ['{', good(1, { key: 'a' }), '', good(2, { key: 'a' }), good(3, { kye: 'b', poll: {} })];

  test('is told line by line, and is exit 2', async () => {
    const file = await fileOf('bad.ndjson', ...lines);
    const { code, stdout, stderr } = await segue(['batch', 'check', file]);
    expect(code).toBe(2);
    expect(stdout.split('\n').map((line) => line.replace(file, 'F'))).toEqual([
      expect.stringMatching(/^F:1: is not JSON: /),
      'F:4: key: "a" is that of line 2, too',
      'F:5: kye: is not known here',
      "F:5: poll: is the batch's, not a line's",
      'F: 1 item in 1 partition, of 4 lines: 3 bad, 1 of them for a key that is taken',
    ]);
    expect(stderr).toBe('Correct the bad lines, or leave them out: --skip-bad');
  });

  test('can be left out, as long as something is left', async () => {
    const file = await fileOf('skipped.ndjson', ...lines);
    const skipped = await segue(['batch', 'check', file, '--skip-bad']);
    expect(skipped).toMatchObject({ code: 0, stderr: '' });
    expect(skipped.stdout.split('\n')).toHaveLength(5);
    const none = await fileOf('none.ndjson', '{', '[]');
    expect(await segue(['batch', 'check', none, '--skip-bad'])).toMatchObject({ code: 2 });
  });

  test('is one JSON object for scripts, with the first twenty bad lines and the number of all', async () => {
    const file = await fileOf('many.ndjson', ...Array.from({ length: 150 }, () => '[]'), good(1));
    const { code, stdout } = await segue(['batch', 'check', file, '--json']);
    expect(code).toBe(2);
    const report = JSON.parse(stdout) as { problems: unknown[] };
    expect(report).toEqual({
      ...{ manifest: file, usable: false, items: 1, lines: 151, badLines: 150, duplicates: 0 },
      ...{ partitions: 1, digest: null, problems: expect.any(Array), warnings: [] },
      error: '150 bad lines of 151',
    });
    expect(report.problems).toHaveLength(20);
    expect(report.problems[19]).toEqual({ line: 20, problems: ['is not a JSON object'] });
    const told = await segue(['batch', 'check', file]);
    expect(told.stdout).toContain(`${file}:20: is not a JSON object\nand more, in 150 bad lines in all`);
  });
});

test('the digest is the same for the same manifest, and with bad lines left out', async () => {
  const reports = await Promise.all(
    [
      [good(1), good(2)],
      ['{}', good(1), '', good(2)],
    ].map(async (lines, index) => {
      const file = await fileOf(`digest-${index}.ndjson`, ...lines);
      const { stdout } = await segue(['batch', 'check', file, '--skip-bad', '--json']);
      return JSON.parse(stdout) as Record<string, unknown>;
    }),
  );
  expect(reports[0]).toMatchObject({ usable: true, error: null, digest: expect.stringMatching(/^\w{32}$/) });
  expect(reports[1]).toMatchObject({ badLines: 1, digest: reports[0]?.digest });
});

test('addresses that look signed and have no key are one warning', async () => {
  const signed = (n: number): string => good(n, { request: { image_url: `https://x.org/${n}.png?sig=1` } });
  const file = await fileOf('signed.ndjson', good(0), signed(1), signed(2));
  const { code, stdout } = await segue(['batch', 'check', file]);
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.replace(file, 'F'))).toEqual([
    expect.stringMatching(
      /^F:2: warning: has no key and an address that looks signed: .* \(one of 2 such lines\)$/,
    ),
    'F: 3 items in 1 partition, of 3 lines',
  ]);
});

test('an empty manifest is exit 2, with --skip-bad too', async () => {
  const file = await fileOf('empty.ndjson', '', '');
  for (const flags of [[], ['--skip-bad']]) {
    const { code, stdout } = await segue(['batch', 'check', file, ...flags]);
    expect([code, stdout.split('\n')[0]]).toEqual([
      2,
      `${file}:1: the manifest is empty: it has no line to run`,
    ]);
  }
  const { stdout } = await segue(['batch', 'check', file, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    usable: false,
    error: 'the manifest is empty: it has no line to run',
  });
});

test('a file that cannot be read is exit 2 and named', async () => {
  const missing = path.join(folder, 'missing.ndjson');
  expect(await segue(['batch', 'check', missing])).toMatchObject({
    ...{ code: 2, stdout: '', stderr: `${missing} cannot be used:\n  there is no such file` },
  });
  const ofFolder = await segue(['batch', 'check', folder, '--json']);
  expect(ofFolder.code).toBe(2);
  expect(JSON.parse(ofFolder.stdout)).toMatchObject({ error: `${folder} cannot be used:\n  it is a folder` });
});

test('stdin can be the manifest', async () => {
  const child = spawn(SEGUE, ['batch', 'check', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  child.stdin.end(`${good(1)}\n{}\n`);
  const stdout = await text(child.stdout);
  expect(await ended).toEqual([2, null]);
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'stdin:2: tool: is required',
    'stdin:2: request: is required',
    'stdin: 1 item in 1 partition, of 2 lines: 1 bad',
  ]);
});

describe('an address', () => {
  let service: SmallService;
  beforeAll(async () => {
    service = await startSmallService({
      'GET /m.ndjson': { text: `${good(1)}\n${good(2)}\n` },
      'GET /broken': { status: 503, body: {} },
    });
  });
  afterAll(() => service.stop());

  test('P7: is read, and named without what is signed in it', async () => {
    const { code, stdout } = await segue(['batch', 'check', `${service.url}/m.ndjson?sig=secret`]);
    expect([code, stdout]).toEqual([0, `${service.url}/m.ndjson: 2 items in 1 partition, of 2 lines`]);
    expect(service.asked).toContain('GET /m.ndjson?sig=secret');
  });

  test('that does not give it is exit 4', async () => {
    expect(await segue(['batch', 'check', `${service.url}/broken`])).toMatchObject({
      ...{ code: 4, stderr: `${service.url}/broken cannot be read: the answer is status 503` },
    });
    expect(await segue(['batch', 'check', 'http://127.0.0.1:1/m'])).toMatchObject({ code: 4 });
  });

  test('that would be asked without encryption is exit 2', async () => {
    const { code, stderr } = await segue(['batch', 'check', 'http://example.com/m']);
    expect(code).toBe(2);
    expect(stderr).toContain('http://example.com/m: must be an https address');
  });
});
