/** What the person on call types: what is held, and what becomes of it. The sandbox's ledger is the judge. */
import { type JobReport } from '../../../src/client/report';
import { useCommandLine } from '../../support/servers/commandLine';
import { eventually } from '../../support/eventually';
import {
  heldRow,
  jsonLines,
  newKey,
  reportOf,
  startArgs,
  startHeldJob,
  tasksOf,
  untilUnlisted,
} from '../../support/builders/jobs';
import { readLedger, startSandbox } from '../../support/service/sandbox';
import { patientPosts } from '../../support/servers/patientPosts';
import { segue } from '../../support/servers/segueCommand';
import { segueClient, startOwnDevServer, testConfig, withWorker } from '../../support/servers/temporal';

// Every command is a process of its own, and there are many.

// The list shows a whole namespace, and what other files left in it would be asked one by one.
const line = useCommandLine({ openTemporal: startOwnDevServer, worker: patientPosts() });
const { temporal, sandbox, config, settings } = line;

const resolve = (...args: string[]) => segue(['resolve', ...args], settings);

async function untilOver(key: string): Promise<JobReport> {
  return (await segueClient(temporal, config).media.get(key)).wait();
}

describe('a job that is held', () => {
  test('P1 P2: is listed with what is known, and goes on with the task that a person found', async () => {
    const key = await startHeldJob(line);
    const row = await heldRow(line, key);
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
    expect(shown.stdout).toContain(`media/${key} (remove-background) held: the service may have accepted it`);
    expect(shown.stdout).toContain(`segue resolve media/${key} --adopt TASK_ID`);
    expect(shown.stderr).toMatch(/needs? a person/);

    const wrong = await resolve(key, '--adopt', 'no-such-task', '--reason', 'a guess');
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('the run is still held');
    expect(wrong.stderr).toContain('--force');
    expect(await reportOf(line, key)).toMatchObject({ status: 'held' });

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
    await untilUnlisted(line, key);
  });

  test('goes on with a task that the service does not know only with --force', async () => {
    const key = await startHeldJob(line);
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

  test('P1: is submitted again only when a person says so, and not while the first may still arrive', async () => {
    const early = await startHeldJob(line, { submit: { timeout: '10m', authGrace: '1h' } });
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

    const key = await startHeldJob(line, { submit: { timeout: '1s', authGrace: '1h' } });
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

  test('P2: ends as abandoned, with who decided and why; decided twice it is the same', async () => {
    const key = await startHeldJob(line);
    const abandon = [key, '--abandon', '--reason', 'not needed', '--by', 'Ada'];
    expect(await resolve(...abandon)).toMatchObject({ code: 0 });
    expect(await segue(['media', 'follow', key], settings)).toMatchObject({ code: 1 });
    expect(await reportOf(line, key)).toMatchObject({
      status: 'abandoned',
      error: expect.stringContaining('abandoned by Ada: not needed'),
    });
    expect((await resolve(...abandon)).stdout).toContain('was decided already, by Ada');
    const again = await segue(['retry', key], settings);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`${key}.submit.1`) });
    const other = await resolve(key, '--resubmit', '--reason', 'after all');
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('is not held: it is abandoned') });
    expect(await tasksOf(sandbox.url, key)).toHaveLength(1);
  });

  test('is decided together with others that a query finds, after a yes', async () => {
    const keys = await Promise.all([startHeldJob(line), startHeldJob(line)]);
    for (const key of keys) await heldRow(line, key);
    const where = `WorkflowId IN (${keys.map((key) => `'media/${key}'`).join(', ')})`;
    const abandon = ['--where', where, '--abandon', '--reason', 'a clean start'];
    const unasked = await resolve(...abandon);
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toContain('2 jobs to abandon');
    expect(unasked.stderr).toContain('--yes decides 2 jobs');
    for (const key of keys) expect(await reportOf(line, key)).toMatchObject({ status: 'held' });

    const decided = await resolve(...abandon, '--yes', '--json');
    expect(decided).toMatchObject({ code: 0, stderr: expect.stringContaining('2 decided') });
    expect(
      jsonLines(decided.stdout)
        .map(({ key }) => key)
        .sort(),
    ).toEqual([...keys].sort());
    for (const key of keys) expect(await untilOver(key)).toMatchObject({ status: 'abandoned' });
    const none = await resolve('--where', `WorkflowId = 'media/${newKey()}'`, '--abandon', '--reason', 'x');
    expect(none).toMatchObject({ code: 0, stderr: expect.stringContaining('No held or overdue job') });
    const noQuery = await resolve('--where', 'Nonsense = 1', '--abandon', '--reason', 'x', '--yes');
    expect(noQuery).toMatchObject({ code: 2, stderr: expect.stringContaining('--where:') });
  });

  test('P2: an overdue job can only be abandoned, and is not run again while its task may be alive', async () => {
    const slow = await startSandbox({ pace: { kind: 'polls', polls: 100_000 } });
    const own = testConfig();
    const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue, SEGUE_POLL_DEADLINE: '1s' };
    await withWorker(temporal, own, slow.url, async () => {
      const key = newKey();
      await segue(startArgs(slow.url, key), ours);
      const row = await heldRow(line, key);
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
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`its task ${task}`) });
      expect((await readLedger(slow.url)).summary.submissions).toBe(1);
    });
    await slow.stop();
  });

  test('without a worker the list says so, and a decision ends with 4', async () => {
    const own = testConfig();
    const key = await withWorker(temporal, own, sandbox.url, () => startHeldJob(line, own));
    await eventually('it in the list', async () => {
      const { count } = await temporal.client.workflow.count(
        `WorkflowId = 'media/${key}' AND SegueStage = 'held'`,
      );
      return count === 1;
    });
    // Each waits for an answer that never comes; side by side they wait once.
    const [row, shown, lost] = await Promise.all([
      heldRow(line, key),
      segue(['held'], settings),
      resolve(key, '--abandon', '--reason', 'x', '--json'),
    ]);
    expect(row).toMatchObject({ status: 'held', answered: false, why: null, hold: null });
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no worker answers for it'),
    });
    expect(lost).toMatchObject({ code: 4, stderr: expect.stringContaining('segue worker') });
    expect(JSON.parse(lost.stdout)).toMatchObject({ key, applied: false });
    // Deleted: whatever is listed without a worker makes every list wait.
    const workflowExecution = { workflowId: `media/${key}` };
    await temporal.client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution,
    });
    await eventually('the list without it', async () => {
      const { count } = await temporal.client.workflow.count(`WorkflowId = 'media/${key}'`);
      return count === 0;
    });
  });
});
