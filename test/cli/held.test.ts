/** What the person on call types: what is held, and what becomes of it. The sandbox's ledger is the judge. */
import { randomUUID } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { attributesOfJob } from '../../src/searchAttributes';
import { eventually } from '../support/eventually';
import {
  heldRow,
  heldRows,
  jsonLines,
  newKey,
  startArgs,
  type Starter,
  startHeldJob,
  tasksOf,
} from '../support/jobs';
import { readLedger } from '../support/sandbox';
import { segue, type Settings } from '../support/segueProcess';
import { connectDevServer, testConfig, type TestTemporal, withWorker } from '../support/temporal';

// Every command is a process of its own, and there are many.
jest.setTimeout(180_000);

let temporal: TestTemporal;
let sandbox: Sandbox;
let settings: Settings;
let starter: Starter;
const config = testConfig();

beforeAll(async () => {
  temporal = await connectDevServer();
  sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  settings = {
    TEMPORAL_ADDRESS: temporal.address,
    SEGUE_TASK_QUEUE: config.taskQueue,
    SEGUE_POLL_MIN: '50ms',
    SEGUE_POLL_MAX: '100ms',
  };
  starter = { sandboxUrl: sandbox.url, settings };
});

afterAll(async () => {
  await sandbox.stop();
  await temporal.close();
});

const resolve = (...args: string[]) => segue(['resolve', ...args], settings);
const withOurWorker = (work: () => Promise<void>) => withWorker(temporal, config, sandbox.url, work);

async function show(key: string): Promise<Record<string, unknown>> {
  const { stdout } = await segue(['media', 'show', key, '--json'], settings);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('a job that is held', () => {
  test('P1 P2: is listed with what is known, and goes on with the task that a person found', async () => {
    await withOurWorker(async () => {
      const key = await startHeldJob(starter);
      const row = await heldRow(key, settings);
      expect(row).toMatchObject({
        workflowId: `media/${key}`,
        status: 'held',
        stage: 'held',
        tool: 'remove-background',
        why: 'unknown',
        since: expect.any(String),
        requestId: `${key}.submit.1`,
        answered: true,
        hold: { id: expect.stringMatching(/\/1$/), actions: ['adopt', 'resubmit', 'abandon'] },
      });
      const shown = await segue(['held'], settings);
      expect(shown.stdout).toContain(
        `media/${key} (remove-background) held: the service may have accepted it`,
      );
      expect(shown.stdout).toContain(`segue resolve media/${key} --adopt TASK_ID`);
      expect(shown.stderr).toMatch(/needs? a person/);

      const wrong = await resolve(key, '--adopt', 'no-such-task', '--reason', 'a guess');
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
      expect(wrong.stderr).toContain('the run is still held');
      expect(wrong.stderr).toContain('--force');
      expect(await show(key)).toMatchObject({ status: 'held' });

      const [task = ''] = await tasksOf(sandbox.url, key);
      const adopt = [`media/${key}`, '--adopt', task, '--reason', 'found it', '--by', 'Ada'];
      expect(await resolve(...adopt)).toMatchObject({
        code: 0,
        stdout: `media/${key}: adopt task ${task}, decided by Ada`,
      });
      const twice = await resolve(...adopt);
      expect(twice.code).toBe(0);
      expect(twice.stdout).toMatch(/was decided already, by Ada at \S+: found it/);
      expect(await segue(['media', 'follow', key], settings)).toMatchObject({ code: 0 });
      expect(await tasksOf(sandbox.url, key)).toEqual([task]);
      await eventually('the list without it', async () =>
        (await heldRows(settings)).every((listed) => listed.key !== key),
      );
    });
  });

  test('goes on with a task that the service does not know only with --force', async () => {
    await withOurWorker(async () => {
      const key = await startHeldJob(starter);
      const forced = await resolve(key, '--adopt', 'ghost', '--force', '--reason', 'sure', '--json');
      expect(forced.code).toBe(0);
      expect(JSON.parse(forced.stdout)).toMatchObject({
        key,
        applied: true,
        status: 'running',
        taskId: 'ghost',
      });
      expect(await tasksOf(sandbox.url, key)).toHaveLength(1);
      await temporal.client.workflow.getHandle(`media/${key}`).terminate();
    });
  });

  test('P1: is submitted again only when a person says so, and not while the first may still arrive', async () => {
    await withOurWorker(async () => {
      const early = await startHeldJob(starter);
      const tooEarly = await resolve(early, '--resubmit', '--reason', 'not there', '--json');
      expect(tooEarly.code).toBe(2);
      expect(JSON.parse(tooEarly.stdout)).toMatchObject({
        key: early,
        status: 'held',
        applied: false,
        error: expect.stringContaining('may still arrive'),
      });
      expect(tooEarly.stderr).toContain(`segue resolve media/${early} --abandon`);
      expect(await tasksOf(sandbox.url, early)).toHaveLength(1);
      await temporal.client.workflow.getHandle(`media/${early}`).terminate();

      const quick = { ...settings, SEGUE_SUBMIT_TIMEOUT: '1s' };
      const key = await startHeldJob({ ...starter, settings: quick });
      const again = [key, '--resubmit', '--reason', 'not there'];
      const decided = await eventually('the time to submit again', async () => {
        const answer = await resolve(...again);
        return answer.code === 0 && answer;
      });
      expect(decided.stdout).toContain(`media/${key}: resubmit, decided by `);
      expect((await resolve(...again)).stdout).toContain('was decided already');
      expect(await segue(['media', 'follow', key], settings)).toMatchObject({ code: 0 });
      expect((await resolve(...again)).stdout).toContain('was decided already');
      expect(await tasksOf(sandbox.url, key)).toHaveLength(2);
    });
  });

  test('P2: ends as abandoned, with who decided and why; decided twice it is the same', async () => {
    await withOurWorker(async () => {
      const key = await startHeldJob(starter);
      const abandon = [key, '--abandon', '--reason', 'not needed', '--by', 'Ada'];
      expect(await resolve(...abandon)).toMatchObject({ code: 0 });
      expect(await segue(['media', 'follow', key], settings)).toMatchObject({ code: 1 });
      expect(await show(key)).toMatchObject({
        status: 'abandoned',
        error: expect.stringContaining('abandoned by Ada: not needed'),
      });
      expect((await resolve(...abandon)).stdout).toContain('was decided already, by Ada');
      const again = await segue(['retry', key], settings);
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`${key}.submit.1`) });
      const other = await resolve(key, '--resubmit', '--reason', 'after all');
      expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('is not held: it is over') });
      expect(await tasksOf(sandbox.url, key)).toHaveLength(1);
    });
  });

  test('is decided together with others that a query finds, after a yes', async () => {
    await withOurWorker(async () => {
      const keys = [await startHeldJob(starter), await startHeldJob(starter)];
      for (const key of keys) await heldRow(key, settings);
      const where = `SegueKey IN (${keys.map((key) => `'${key}'`).join(', ')})`;
      const abandon = ['--where', where, '--abandon', '--reason', 'a clean start'];
      const unasked = await resolve(...abandon);
      expect(unasked).toMatchObject({ code: 2, stdout: '' });
      expect(unasked.stderr).toContain('2 jobs to abandon');
      expect(unasked.stderr).toContain('no terminal to ask on');
      for (const key of keys) expect(await show(key)).toMatchObject({ status: 'held' });

      const decided = await resolve(...abandon, '--yes', '--json');
      expect(decided).toMatchObject({ code: 0, stderr: expect.stringContaining('2 decided') });
      expect(
        jsonLines(decided.stdout)
          .map(({ key }) => key)
          .sort(),
      ).toEqual([...keys].sort());
      for (const key of keys) {
        await segue(['media', 'follow', key], settings);
        expect(await show(key)).toMatchObject({ status: 'abandoned' });
      }
      const none = await resolve('--where', `SegueKey = '${newKey()}'`, '--abandon', '--reason', 'x');
      expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining('No held or overdue job') });
      const noQuery = await resolve('--where', 'Nonsense = 1', '--abandon', '--reason', 'x', '--yes');
      expect(noQuery).toMatchObject({ code: 2, stderr: expect.stringContaining('--where:') });
    });
  });

  test('P2: that is overdue can only be abandoned, and is not run again while its task may be alive', async () => {
    const slow = await startSandbox({ pace: { kind: 'polls', polls: 100_000 } });
    const own = testConfig();
    const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue, SEGUE_POLL_DEADLINE: '1s' };
    await withWorker(temporal, own, slow.url, async () => {
      const key = newKey();
      await segue(startArgs({ sandboxUrl: slow.url, settings: ours }, key), ours);
      const row = await heldRow(key, ours);
      const [task = ''] = await tasksOf(slow.url, key);
      expect(row).toMatchObject({ status: 'running', stage: 'overdue', why: 'overdue', taskId: task });
      expect(row.next).toEqual([
        { when: 'nobody needs it', command: `segue resolve media/${key} --abandon --reason "not needed"` },
      ]);
      const refused = await segue(['resolve', key, '--resubmit', '--reason', 'impatient'], ours);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('action: must be abandon') });
      expect(await segue(['resolve', key, '--abandon', '--reason', 'too late'], ours)).toMatchObject({
        code: 0,
      });
      expect(await segue(['media', 'follow', key], ours)).toMatchObject({ code: 1 });
      const again = await segue(['retry', key], ours);
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`--task-id ${task}`) });
      expect((await readLedger(slow.url)).summary.submissions).toBe(1);
    });
    await slow.stop();
  });

  test('without a worker the list says so, and a decision ends with 4', async () => {
    let key = '';
    await withOurWorker(async () => {
      key = await startHeldJob(starter);
    });
    const row = await heldRow(key, settings);
    expect(row).toMatchObject({ status: 'held', answered: false, why: null, hold: null });
    expect(await segue(['held'], settings)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no worker answers for it'),
    });
    const lost = await resolve(key, '--abandon', '--reason', 'x', '--json');
    expect(lost).toMatchObject({ code: 4, stderr: expect.stringContaining('segue worker') });
    expect(JSON.parse(lost.stdout)).toMatchObject({ key, applied: false });
    await temporal.client.workflow.getHandle(`media/${key}`).terminate();
  });
});

describe('a job that was stopped with work under way', () => {
  test('P1 P2: is listed with its task and the command that goes on with it, which takes it off the list', async () => {
    const slow = await startSandbox({ pace: { kind: 'polls', polls: 20 } });
    const own = testConfig();
    const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue };
    await withWorker(temporal, own, slow.url, async () => {
      const key = newKey();
      await segue(startArgs({ sandboxUrl: slow.url, settings: ours }, key), ours);
      const task = await eventually('its task', async () => (await tasksOf(slow.url, key))[0]);
      await eventually('the run to know it', async () => (await show(key)).taskId === task);
      await temporal.client.workflow.getHandle(`media/${key}`).terminate('by mistake');
      const row = await heldRow(key, ours);
      expect(row).toMatchObject({ status: 'terminated', why: 'terminated', stage: 'polling', taskId: task });

      const refused = await segue(['retry', key, '--json'], ours);
      expect(refused.code).toBe(2);
      const { error } = JSON.parse(refused.stdout) as { error: string };
      expect(error).toContain(`may still work on its task ${task}`);

      const [{ command } = { command: '' }] = row.next as { command: string }[];
      expect(error).toContain(command);
      const adopted = await segue(command.split(' ').slice(1), ours);
      expect(adopted).toMatchObject({ code: 0, stdout: `media/${key}-next` });
      expect(await segue(['media', 'follow', `${key}-next`], ours)).toMatchObject({ code: 0 });
      expect((await readLedger(slow.url)).summary.submissions).toBe(1);
      await eventually('the list without it', async () =>
        (await heldRows(ours)).every((listed) => listed.key !== key),
      );
    });
    await slow.stop();
  });

  test('P2: one that timed out is listed too, and one that was reset is not: it goes on', async () => {
    const [timedOut, reset] = [newKey(), newKey()];
    const request = { image_url: `${sandbox.url}/samples/shoe.png` };
    const input = { key: timedOut, tool: 'remove-background', request };
    await temporal.client.workflow.start('media', {
      workflowId: `media/${timedOut}`,
      // Nobody polls it.
      taskQueue: testConfig().taskQueue,
      args: [input],
      workflowExecutionTimeout: '1s',
      typedSearchAttributes: attributesOfJob(input, 'submitting'),
    });
    expect(await heldRow(timedOut, settings)).toMatchObject({ why: 'timedOut', answered: false, hold: null });

    await withOurWorker(async () => {
      const slowly = { ...settings, SEGUE_POLL_MIN: '1h', SEGUE_POLL_MAX: '1h' };
      await segue(startArgs(starter, reset), slowly);
      await eventually('its task', async () => (await show(reset)).taskId !== null);
      const { runId } = await temporal.client.workflow.getHandle(`media/${reset}`).describe();
      await temporal.client.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: `media/${reset}`, runId },
        workflowTaskFinishEventId: 4 as never,
        requestId: randomUUID(),
      });
      await eventually('the old run in the list', async () => {
        const query = `RunId = '${runId}' AND ExecutionStatus = 'Terminated' AND SegueStage = 'polling'`;
        return (await temporal.client.workflow.count(query)).count === 1;
      });
      const rows = (await heldRows(settings)).filter(({ key }) => key === reset);
      expect(rows.every(({ runId: listed }) => listed !== runId)).toBe(true);
      await temporal.client.workflow.getHandle(`media/${reset}`).terminate();
    });
  });

  test('P1: one whose submission nobody knows tells what to look for, and is not run again', async () => {
    await withOurWorker(async () => {
      const key = await startHeldJob(starter);
      await temporal.client.workflow.getHandle(`media/${key}`).terminate();
      const row = await heldRow(key, settings);
      expect(row).toMatchObject({ why: 'terminated', requestId: `${key}.submit.1`, taskId: null });
      expect(row.next).toHaveLength(2);
      const refused = await segue(['retry', `media/${key}`], settings);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`X-Request-Id ${key}.submit.1`);
      expect(await tasksOf(sandbox.url, key)).toHaveLength(1);

      const [, { command } = { command: '' }] = row.next as { command: string }[];
      const next = await segue(command.split(' ').slice(1), settings);
      expect(next).toMatchObject({ code: 0, stdout: `media/${key}-next` });
      expect((await heldRows(settings)).every((listed) => listed.key !== key)).toBe(true);
      expect(await segue(['media', 'follow', `${key}-next`], settings)).toMatchObject({ code: 0 });
    });
  });
});

describe('segue resolve, typed wrongly', () => {
  test('names every problem at once, and nothing is sent', async () => {
    const nothing = await segue(['resolve'], settings);
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    for (const problem of ['which job?', 'what is decided?', '--reason:'])
      expect(nothing.stderr).toContain(problem);
    const tooMuch = await resolve(
      ...['project/1~2~3', '--where', 'x', '--adopt', 't', '--abandon', '--reason', ' ', '--hold', 'h/1'],
    );
    expect(tooMuch.code).toBe(2);
    for (const problem of [
      'which job?',
      'neither a key',
      'what is decided?',
      '--adopt:',
      '--hold:',
      '--reason:',
    ])
      expect(tooMuch.stderr).toContain(problem);
    expect(await resolve(newKey(), '--abandon', '--reason', 'x')).toMatchObject({ code: 1 });
  });

  test.each([
    [['held'], ['--limit', '--json', 'oldest first']],
    [['resolve'], ['--adopt <task>', '--resubmit', '--abandon', '--reason', '--by', '--where', '--yes']],
    [['retry'], ['KEY+2', 'one run']],
  ])('%s --help tells what it takes', async (command, words) => {
    const { code, stdout } = await segue([...command, '--help']);
    expect(code).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  });
});
