/** What a person types to start jobs, run them again, list, show and cancel them. The ledger is the judge. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import { jsonLines, newKey, type Row, startArgs, tasksOf, untilSubmitted } from '../../support/builders/jobs';
import { ask, readLedger } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { shared } from '../../support/jest/shared';
import { readProject, seedProject, WORKSPACE } from '../../support/builders/writing';

const line = useCommandLine();
const { temporal, sandbox, settings } = line;

function run(key: string, ...more: string[]): ReturnType<typeof segue> {
  const [, , ...job] = startArgs(sandbox.url, key);
  return segue(['media', 'run', ...job, ...more], settings);
}

/** A job that is with the service for as long as nobody polls it often. */
async function startSlowJob(key: string, ...more: string[]): Promise<string> {
  const slowly = { ...settings, SEGUE_POLL_MIN: '1h', SEGUE_POLL_MAX: '1h' };
  const started = await segue([...startArgs(sandbox.url, key), ...more], slowly);
  expect(started.code).toBe(0);
  return untilSubmitted(line, key);
}

function json(stdout: string): Row {
  return JSON.parse(stdout) as Row;
}

describe('a job that is run again', () => {
  test('P1: is one new run, however often and whichever way it is asked for', async () => {
    const key = newKey();
    expect(await run(key)).toMatchObject({ code: 0 });
    const refused = await segue(['retry', key], settings);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`it succeeded, and would be paid for again`);
    expect(refused.stderr).toContain(`segue retry media/${key} --again`);
    expect(await tasksOf(sandbox.url, `${key}+2`)).toEqual([]);
    const again = await segue(['retry', `media/${key}`, '--again'], settings);
    expect(again).toMatchObject({ code: 0, stdout: `media/${key}+2` });
    expect(again.stderr).toContain(`segue media follow ${key}+2`);
    const twice = await segue(['retry', key, '--again', '--json'], settings);
    expect(json(twice.stdout)).toMatchObject({ key: `${key}+2`, existing: true });
    expect(await segue(['media', 'follow', `${key}+2`], settings)).toMatchObject({ code: 0 });
    const thrice = await run(key, '--again', '--json');
    expect(thrice.code).toBe(0);
    expect(json(thrice.stdout)).toMatchObject({ key: `${key}+2`, existing: true, status: 'succeeded' });
    // With --again it would be this run once more.
    expect(thrice.stderr).toContain(`To run it again and pay for it again: segue retry ${key}+2 --again`);

    expect(await segue(['retry', `${key}+2`, '--again'], settings)).toMatchObject({
      stdout: `media/${key}+3`,
    });
    expect(await segue(['media', 'follow', `${key}+3`], settings)).toMatchObject({ code: 0 });
    for (const each of [key, `${key}+2`, `${key}+3`])
      expect(await tasksOf(sandbox.url, each)).toHaveLength(1);
  });

  test('P1: is refused while it runs, and after it was cancelled with a task that may be alive', async () => {
    const key = newKey();
    const task = await startSlowJob(key);
    const running = await segue(['retry', key], settings);
    expect(running).toMatchObject({ code: 2, stdout: '' });
    expect(running.stderr).toContain('it is still running (polling)');

    const cancelled = await segue(['media', 'cancel', key], settings);
    expect(cancelled).toMatchObject({ code: 0, stdout: `media/${key} was asked to stop` });
    expect(cancelled.stderr).toContain(`The service continues with task ${task}`);
    expect(await segue(['media', 'follow', key, '--json'], settings)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"status":"cancelled"'),
    });
    expect(await segue(['media', 'cancel', key], settings)).toMatchObject({ code: 0 });
    const refused = await segue(['retry', key], settings);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`may still work on its task ${task}`);
    expect(await tasksOf(sandbox.url, key)).toHaveLength(1);
  });

  test('is told apart from one that asks for something else, and from none', async () => {
    const key = newKey();
    expect(await run(key)).toMatchObject({ code: 0 });
    expect(await run(key, '--magic-crop', '--again')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('asks for something else'),
    });
    expect(await run(newKey(), '--again')).toMatchObject({ code: 1 });
    expect(await run(key, '--again', '--task-id', 't')).toMatchObject({ code: 2 });
    expect(await segue(['retry', 'project/1~2~3'], settings)).toMatchObject({ code: 2 });
    expect(await tasksOf(sandbox.url, key)).toHaveLength(1);
    expect(await tasksOf(sandbox.url, `${key}+2`)).toHaveLength(0);
  });
});

describe('a result', () => {
  test('is saved as files that are never overwritten', async () => {
    const out = path.join(shared().scratch, newKey(), 'pictures');
    const key = newKey();
    const image = `${sandbox.url}/samples/shoe.png`;
    const request = [
      '--image-url',
      image,
      '--mask-url',
      `${sandbox.url}/samples/mask.png`,
      '--prompt',
      'a table',
    ];
    const save = ['--out', out, '--at', '/images', '--json'];
    const saved = await segue(
      ['media', 'run', 'image-outpainting', ...request, '--count', '2', '--key', key, ...save],
      settings,
    );
    expect(saved.code).toBe(0);
    expect(json(saved.stdout).files).toMatchObject([
      { status: 'saved', path: path.join(out, `${key}-1.png`) },
      { status: 'saved', path: path.join(out, `${key}-2.png`) },
    ]);
    expect((await readdir(out)).sort()).toEqual([`${key}-1.png`, `${key}-2.png`]);
    expect(await sharp(path.join(out, `${key}-2.png`)).metadata()).toMatchObject({ format: 'png' });

    await writeFile(path.join(out, `${key}-1.png`), 'mine');
    const twice = await segue(['media', 'follow', key, '--out', out, '--at', '/images'], settings);
    expect(twice.code).toBe(0);
    expect(twice.stderr).toContain(`${key}-1.png is there already`);
    expect(await readFile(path.join(out, `${key}-1.png`), 'utf8')).toBe('mine');

    const one = await segue(
      ['media', 'follow', key, '--out', path.join(out, 'one'), '--at', '/images/0/url'],
      settings,
    );
    expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining(`${key}-1.png`) });
  });

  test('whose pointer leads nowhere is told with what was there; what cannot be had is told too', async () => {
    const out = path.join(shared().scratch, newKey());
    const key = newKey();
    const nowhere = await run(key, '--out', out, '--at', '/images/0/link', '--json');
    expect(nowhere.code).toBe(2);
    expect(json(nowhere.stdout)).toMatchObject({
      status: 'succeeded',
      files: [],
      error: expect.stringContaining('At /images/0 there is an object with url'),
    });
    const notUrls = await run(key, '--out', out, '--at', '/sandbox');
    expect(notUrls).toMatchObject({ code: 2, stderr: expect.stringContaining('There is true') });
    await ask(sandbox.url, 'POST /_sandbox/reset');
    const gone = await segue(['media', 'follow', key, '--out', out, '--at', '/images'], settings);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('status 404');
    expect(gone.stderr).toContain(`segue media follow ${key} --out ${out} --at /images`);
    expect(await readdir(out)).toEqual([]);
  });
});

describe.each([true, false])('a job with a project and a user, with ETags: %s', (etags) => {
  const { sandbox, settings } = useCommandLine({ etags });

  test('P3 P4: is written to a project and told to a user', async () => {
    const project = await seedProject(sandbox.url);
    const key = newKey();
    const place = `${project.resourcetype}/${project.id}`;
    const flags = ['--write', `${place}:/media/shoe`, '--notify', 'u-1@1', '--organization', WORKSPACE];
    const [, , ...job] = startArgs(sandbox.url, key);
    const done = await segue(['media', 'run', ...job, ...flags, '--json'], settings);
    expect(done).toMatchObject({ code: 0 });
    const { data } = await readProject(sandbox.url, project);
    expect(data).toMatchObject({ owner: 'Sam', media: { shoe: { key } } });
    const { entries } = await readLedger(sandbox.url);
    expect(
      entries.filter(({ kind, requestId }) => kind === 'notify' && requestId?.startsWith(key)),
    ).toHaveLength(1);

    const listed = await eventually('it in the list', async () => {
      const { stdout } = await segue(['media', 'list', '--project', place, '--json'], settings);
      return jsonLines(stdout).find((row) => row.status === 'succeeded');
    });
    expect(listed).toMatchObject({ key, tool: 'remove-background', stage: 'succeeded', project: place });
  });
});

describe('the list of jobs', () => {
  test('is filtered, bounded, and says how many there are', async () => {
    const [first, second] = [newKey(), newKey()];
    // Not to be taken for a word of the query.
    const project = `campaign/it's-${newKey()}`;
    for (const key of [first, second]) await startSlowJob(key, '--write', `${project}:/x`);
    const list = (...flags: string[]) => segue(['media', 'list', '--project', project, ...flags], settings);
    await eventually('both in the list', async () => {
      const { stdout } = await list('--stage', 'polling', '--tool', 'remove-background', '--json');
      return jsonLines(stdout).length === 2;
    });
    const [newest] = jsonLines((await list('--json')).stdout);
    expect(newest).toMatchObject({
      key: second,
      workflowId: `media/${second}`,
      status: 'running',
      error: null,
    });
    const bounded = await list('--limit', '1');
    expect(bounded.stdout).toContain(second);
    expect(bounded.stdout).not.toContain(first);
    expect(bounded.stderr).toContain('1 of 2 jobs');
    expect(await list('--stage', 'held')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no such'),
    });
    for (const key of [first, second]) await temporal.client.workflow.getHandle(`media/${key}`).terminate();
  });
});

describe('flags that are wrong', () => {
  test('are named all at once, and nothing is sent', async () => {
    const before = (await readLedger(sandbox.url)).entries.length;
    const key = newKey();
    const wrong = await run(
      key,
      ...[
        '--write',
        'campaign',
        '--notify',
        'nobody',
        '--task-id',
        ' a',
        '--out',
        'x',
        '--background-color',
        'red',
        '--timeout',
        '5',
      ],
    );
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    for (const problem of ['--write:', '--notify:', 'taskId:', '--out:', 'background_color:', '--timeout:'])
      expect(wrong.stderr).toContain(problem);
    for (const [flag, value] of Object.entries({
      stage: 'nowhere',
      tool: 'paint',
      project: 'x',
      limit: '0',
    })) {
      const list = await segue(['media', 'list', `--${flag}`, value], settings);
      expect(list).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`--${flag}`) });
    }
    const noFolder = await run(key, '--out', '/dev/null/x', '--at', '/images');
    expect(noFolder).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be used as a folder'),
    });
    expect(await segue(['media', 'show', key], settings)).toMatchObject({ code: 1 });
    expect((await readLedger(sandbox.url)).entries).toHaveLength(before);
  });

  test.each([
    [
      ['media', 'run', 'remove-background'],
      ['--write', '--notify', '--task-id', '--again', '--out', '--at', '--timeout'],
    ],
    [
      ['media', 'list'],
      ['--stage', '--tool', '--project', '--limit', '--json'],
    ],
    [['media', 'cancel'], ['the service continues']],
  ])('%s --help tells the right ones', async (command, words) => {
    const { code, stdout } = await segue([...command, '--help']);
    expect(code).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  });
});
