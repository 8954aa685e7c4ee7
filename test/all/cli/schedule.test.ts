/** `segue schedule`, as a person types it. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import { segue } from '../../support/servers/segueCommand';
import { type Finished } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { startOwnDevServer } from '../../support/servers/temporal';

const { settings } = useCommandLine({ openTemporal: startOwnDevServer });
const EXAMPLE = path.resolve(__dirname, '../../../examples/outlook.yaml');

function schedule(...args: string[]): Promise<Finished> {
  return segue(['schedule', ...args], settings);
}

function answered({ stdout }: Finished): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('a schedule from its making to its end', async () => {
  const create = ['create', 'looks', '--cron', '0 3 * * *', 'outlook', EXAMPLE];
  const made = await schedule(...create);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('by the clock of Europe/Berlin') });
  const again = await schedule(...create, '--json');
  expect(answered(again)).toMatchObject({
    ...{ key: 'looks', status: 'succeeded', existing: true, workflowId: null, error: null },
    info: { timezone: 'Europe/Berlin' },
  });
  const other = await schedule(...create, '--overlap', 'allow-all', '--json');
  expect(other.code).toBe(2);
  expect(answered(other)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('something else'),
  });

  expect(await schedule('pause', 'looks', '--reason', 'holidays')).toMatchObject({ code: 0 });
  await eventually('the list', async () => {
    const { stdout } = await schedule('list');
    return /looks +outlook +0 3 \* \* \* .*paused: holidays/.exec(stdout);
  });
  expect(await schedule('resume', 'looks')).toMatchObject({ code: 0 });
  const resumed = await schedule('resume', 'looks');
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining('looks is not paused') });

  expect(answered(await schedule('trigger', 'looks', '--json'))).toMatchObject({ key: 'looks', error: null });
  const day = ['--from', '2026-01-05T00:00:00Z', '--to', '2026-01-05T23:00:00Z'];
  expect(await schedule('backfill', 'looks', ...day)).toMatchObject({ code: 0 });
  const shown = await eventually('two firings', async () => {
    const { stdout } = await schedule('show', 'looks');
    return (stdout.match(/outlook\/looks-\S+ +succeeded/g) ?? []).length === 2 ? stdout : undefined;
  });
  expect(shown).toMatch(/Next times:\n( +\d+ \w+ \d{4}, 03:00 \S+\n){5}/);
  expect(shown).toContain('outlook/looks-20260105T020000Z');
  expect(answered(await schedule('show', 'looks', '--json'))).toMatchObject({
    ...{ key: 'looks', status: 'running', error: null },
    info: { fired: 2, skipped: { overlap: 0 }, kind: 'outlook', timezone: 'Europe/Berlin' },
  });

  expect(await schedule('delete', 'looks')).toMatchObject({ code: 0 });
  const gone = await schedule('show', 'looks', '--json');
  expect(gone.code).toBe(1);
  expect(answered(gone)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('no schedule looks'),
  });
  expect(gone.stderr).not.toContain('    at ');
});

test('everything that is wrong is told at once, each with its flag or its place', async () => {
  const file = path.join(await mkdtemp(path.join(shared().scratch, 'spec-')), 'wrong.yaml');
  await writeFile(file, 'project: { resourcetype: campaign, id: "7" }\nboards: [a]\nweeks: 99\n');
  const flags = ['--cron', '@every 1h', '--timezone', 'Mars', '--overlap', 'both', '--catchup', 'long'];
  const { code, stderr } = await schedule('create', 'a b', ...flags, 'outlook', file);
  expect(code).toBe(2);
  expect(stderr.split('\n').map((line) => line.trim())).toEqual([
    'Nothing was scheduled:',
    expect.stringMatching(/^NAME: must be 1 to 100 letters/),
    expect.stringMatching(/^--overlap: must be skip,/),
    expect.stringMatching(/^--timezone: must be the name of a time zone/),
    expect.stringMatching(/^--catchup: must be a number with a unit/),
    expect.stringMatching(/^--cron: "@every 1h" is not a cron expression/),
    expect.stringMatching(/wrong\.yaml:3:8: weeks: must be/),
  ]);
  const wrong = [
    ['create', 'a', '--cron', '0 2 * * *', '--every', '1h', 'outlook', EXAMPLE],
    ['create', 'a', '--calendar', '{', 'outlook', EXAMPLE],
  ];
  const ended = await Promise.all(wrong.map((args) => schedule(...args)));
  expect(ended.map((finished) => finished.code)).toEqual(wrong.map(() => 2));
});

test('a cron expression that Temporal refuses is an input error', async () => {
  const flags = ['--cron', '0 25 * * *', '--timezone', 'UTC'];
  expect(await schedule('create', 'late', ...flags, 'outlook', EXAMPLE)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Nothing was scheduled:\n {2}cron: Hour is not in range \[0-23\]$/),
  });
});

test('a batch is scheduled by the address of its manifest, which nobody is shown whole', async () => {
  const times = ['--cron', '0 2 * * *', '--timezone', 'UTC'];
  const flags = ['--concurrency', '50', '--notify', 'u-1@42', '--skip-bad', '--organization', '1'];
  const address = 'https://example.com/tonight.ndjson?sig=secret';
  expect(await schedule('create', 'products', ...times, ...flags, 'batch', address)).toMatchObject({
    code: 0,
  });
  const shown = await schedule('show', 'products');
  expect(shown.stdout).toMatch(/^manifest +https:\/\/example\.com\/tonight\.ndjson\?\.\.\.$/m);
  const { stdout } = await schedule('show', 'products', '--json');
  expect(stdout).not.toContain('secret');
  expect(JSON.parse(stdout)).toMatchObject({
    info: {
      kind: 'batch',
      target: {
        spec: {
          ...{ manifest: 'https://example.com/tonight.ndjson?...', concurrency: 50, skipBad: true },
          ...{ scope: { organization: '1' }, notify: { userId: 'u-1', workspaceId: '42' } },
        },
      },
    },
  });
  const wrong = await schedule('create', 'a b', ...times, '--notify', 'u-1', 'batch', 'tonight.ndjson');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr.split('\n').map((line) => line.trim())).toEqual([
    'Nothing was scheduled:',
    expect.stringMatching(/^NAME: must be 1 to 100 letters/),
    '--notify: "u-1" is not USER@WORKSPACE',
    'MANIFEST_URL: is not an address; a schedule reads its manifest from https, not from a file',
  ]);
  const misplaced = await schedule('create', 'looks', ...times, '--skip-bad', 'outlook', EXAMPLE);
  expect(misplaced.stderr).toContain('--skip-bad: is for batches; for outlooks it is part of the spec');
});
