/** `segue project patch` and `segue project status` as a person types them. */
import { randomInt, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ProjectRef } from '../../../src/contract';
import { projectWriterId, shardOf } from '../../../src/contract/ids';
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { eventually } from '../../support/eventually';
import { useCommandLine } from '../../support/servers/commandLine';
import { addFault, answering, readLedger } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { type Settings } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { testConfig } from '../../support/servers/temporal';
import { KEPT, pathOf, readProject, removeFaults, seedProject } from '../../support/builders/writing';

describe.each([true, false])('segue project patch, with ETags: %s', (etags) => {
  const line = useCommandLine({ etags });
  const { sandbox } = line;
  let project: ProjectRef;
  let settings: Settings;

  beforeEach(async () => {
    settings = { ...line.settings, SEGUE_ORGANIZATION: sandbox.workspace };
    project = await seedProject(sandbox.url);
  });

  async function dataFile(content: string): Promise<string> {
    const file = path.join(shared().scratch, `${randomUUID()}.json`);
    await writeFile(file, content);
    return file;
  }

  function patch(...flags: string[]): string[] {
    return ['project', 'patch', project.resourcetype, project.id, ...flags];
  }

  test('P3: merges data and sets fields, keeps the rest, and needs no credential for it', async () => {
    const file = await dataFile('{"brief":{"tone":null,"length":"short"},"status":"ready"}');
    const flags = [
      '--data',
      file,
      '--title',
      'Summer',
      '--description',
      '',
      '--primary-type',
      'launch',
      '--json',
    ];
    const done = await segue(patch(...flags, '--change-id', 'summer-1'), settings);
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toEqual({
      ...{
        workflowId: projectWriterId(sandbox.workspace, shardOf(project)),
        runId: null,
        key: 'summer-1',
        status: 'succeeded',
      },
      ...{ stage: null, taskId: null, info: null, existing: null, error: null },
    });
    expect(await readProject(sandbox.url, project)).toMatchObject({
      ...{ title: 'Summer', description: '', primary_type: 'launch' },
      data: { owner: KEPT.owner, brief: { list: KEPT.brief.list, length: 'short' }, status: 'ready' },
    });
  });

  test('asks the service for its workspace where nobody names one', async () => {
    const asking = {
      ...settings,
      SEGUE_ORGANIZATION: '',
      SEGUE_API_URL: sandbox.url,
      SEGUE_API_KEY: SANDBOX_KEY,
    };
    const done = await segue(patch('--title', 'Autumn'), asking);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^applied: change \S+$/) });
    expect(await readProject(sandbox.url, project)).toMatchObject({ title: 'Autumn', data: KEPT });
  });

  test('a change that the service refuses ends with 1 and its words', async () => {
    const refused = await segue(
      ['project', 'patch', 'campaign', randomUUID(), '--title', 'x', '--json'],
      settings,
    );
    expect(refused.code).toBe(1);
    const error = expect.stringMatching(/get project: status 404: .*project/);
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: 'failed', error });
  });

  test('wrong input ends with 2 and every problem, and nothing is sent', async () => {
    const before = await readLedger(sandbox.url);
    const file = await dataFile('[1]');
    const wrong = await segue(['project', 'patch', ' ', '7', '--data', file, '--change-id', 'a b'], settings);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    for (const problem of ['must be a JSON object', 'resourcetype: must be an id', 'changeId:'])
      expect(wrong.stderr).toContain(problem);
    expect(await segue(patch(), settings)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing'),
    });
    expect(await segue(patch('--data', '/no/such'), settings)).toMatchObject({ code: 2 });
    expect(await readLedger(sandbox.url)).toEqual(before);
  });

  test('status shows which run writes the project, what waits and why', async () => {
    const status = (...flags: string[]) =>
      segue(['project', 'status', project.resourcetype, project.id, ...flags], settings);
    const workflowId = projectWriterId(sandbox.workspace, shardOf(project));
    // The project of a test before may be of the same shard.
    await line.temporal.client.workflow
      .getHandle(workflowId)
      .terminate()
      .catch(() => undefined);
    expect(await status()).toMatchObject({
      code: 0,
      stdout: `${workflowId}: not running; the next change starts it\nnothing waits`,
    });

    await addFault(sandbox.url, { ...answering(503, 'get-project'), match: { path: pathOf(project) } });
    const patching = segue(patch('--title', 'x', '--change-id', 'waits-1'), settings);
    const inTrouble = await eventually('the trouble to show', async () => {
      const shown = JSON.parse((await status('--json')).stdout) as { trouble: unknown };
      return shown.trouble ? shown : undefined;
    });
    expect(inTrouble).toEqual({
      ...{ workflowId, isOpen: true, queued: ['waits-1'] },
      trouble: {
        since: expect.any(String),
        lastError: expect.stringContaining('status 503'),
        notBefore: expect.any(String),
      },
    });
    const { stdout } = await status();
    expect(stdout).toContain(`${workflowId}: running\n1 waiting: waits-1\nnot written since`);
    expect(stdout).toMatch(/status 503.*; tried again at/);

    await removeFaults(sandbox.url);
    expect(await patching).toMatchObject({ code: 0, stdout: 'applied: change waits-1' });
    expect((await status()).stdout).toBe(`${workflowId}: running\nnothing waits`);
  });

  test('who stops waiting is told how to ask again', async () => {
    // In a workspace of its own: a writer that is there already has a worker.
    const lonely = {
      ...{ ...settings, SEGUE_ORGANIZATION: String(randomInt(2 ** 31)) },
      SEGUE_TASK_QUEUE: testConfig().taskQueue,
    };
    const flags = ['--title', 'x', '--change-id', 'again-1', '--timeout', '50ms'];
    const stopped = await segue(patch(...flags), lonely);
    expect(stopped.code).toBe(5);
    expect(stopped.stderr).toContain('No worker polls');
    expect(stopped.stderr).toContain('--change-id again-1');
  });
});
