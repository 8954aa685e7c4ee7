/** Jobs that somebody, or the server, stopped with work under way: what may be left of them at the service is listed. */
import { attributesOfJob } from '../../../src/contract/searchAttributes';
import { useCommandLine } from '../../support/servers/commandLine';
import { continueAsNew } from '../../support/servers/continueAsNew';
import { eventually } from '../../support/eventually';
import {
  heldRow,
  heldRows,
  newKey,
  reportOf,
  startArgs,
  startHeldJob,
  startJob,
  tasksOf,
  untilSubmitted,
  untilUnlisted,
  OWN_START,
} from '../../support/builders/jobs';
import { patientPosts } from '../../support/servers/patientPosts';
import { resetRun } from '../../support/servers/reset';
import { addFault, readLedger, startSandbox } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { segueClient, startOwnDevServer, testConfig, withWorker } from '../../support/servers/temporal';

// The list shows a whole namespace, and what other files left in it would be asked one by one.
const line = useCommandLine({ openTemporal: startOwnDevServer });
const { temporal, sandbox, config, settings } = line;

/** The arguments of an advised command, with the job's own request instead of a file. */
function withRequest(command: string, sandboxUrl: string): string[] {
  const request = `--image-url ${sandboxUrl}/samples/shoe.png`;
  return command.replace('--input REQUEST.json', request).split(' ').slice(1);
}

describe('a job that was stopped with work under way', () => {
  test.concurrent(
    'P1 P2: is listed with its task and the command that goes on with it, which takes it off the list',
    async () => {
      const slow = await startSandbox({ pace: { kind: 'polls', polls: 20 } });
      const own = testConfig();
      const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue };
      await withWorker(temporal, own, slow.url, async () => {
        const key = newKey();
        await segue(startArgs(slow.url, key), ours);
        const task = await eventually('its task', async () => (await tasksOf(slow.url, key))[0]);
        expect(await untilSubmitted(line, key)).toBe(task);
        await temporal.client.workflow.getHandle(`media/${key}`).terminate('by mistake');
        const row = await heldRow(line, key);
        expect(row).toMatchObject({
          status: 'terminated',
          why: 'terminated',
          stage: 'polling',
          taskId: task,
        });

        const refused = await segue(['retry', key, '--json'], ours);
        expect(refused.code).toBe(2);
        const { error } = JSON.parse(refused.stdout) as { error: string };
        expect(error).toContain(`may still work on its task ${task}`);

        const [{ command } = { command: '' }] = row.next as { command: string }[];
        const adopted = await segue(withRequest(command, slow.url), ours);
        expect(adopted).toMatchObject({ code: 0, stdout: `media/${key}-next` });
        expect(await segue(['media', 'follow', `${key}-next`], ours)).toMatchObject({ code: 0 });
        expect((await readLedger(slow.url)).summary.submissions).toBe(1);
        await untilUnlisted(line, key);
      });
      await slow.stop();
    },
  );

  test.concurrent(
    'P2: is not listed while another job follows its task, and is listed again when that job is cancelled',
    async () => {
      const slow = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
      const own = testConfig();
      const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue };
      await withWorker(temporal, own, slow.url, async () => {
        const [key, follower] = [newKey(), newKey()];
        await segue(startArgs(slow.url, key), ours);
        const task = await untilSubmitted(line, key);
        await temporal.client.workflow.getHandle(`media/${key}`).terminate('by mistake');
        await heldRow(line, key);
        const follow = await segue([...startArgs(slow.url, follower), '--task-id', task], ours);
        expect(follow).toMatchObject({ code: 0 });
        await untilUnlisted(line, key);
        expect(await segue(['media', 'cancel', follower], ours)).toMatchObject({ code: 0 });
        expect(await heldRow(line, key)).toMatchObject({ taskId: task });
        expect((await readLedger(slow.url)).summary.submissions).toBe(1);
      });
      await slow.stop();
    },
  );

  test.concurrent(
    'P1: names the X-Request-Id of its second POST when the outcome of both is unknown',
    async () => {
      const slow = await startSandbox({ pace: { kind: 'instant' } });
      const own = testConfig();
      const ours = { ...settings, SEGUE_TASK_QUEUE: own.taskQueue, SEGUE_SUBMIT_TIMEOUT: '1s' };
      const submitTwice = async (): Promise<void> => {
        const key = newKey();
        for (const [n, when] of [
          [1, 'before'],
          [2, 'after'],
        ] as const)
          await addFault(slow.url, {
            ...{ operation: 'remove-background', match: { requestId: `${key}.submit.${n}` } },
            ...{ fault: 'reset', when },
          });
        await segue(startArgs(slow.url, key), ours);
        await heldRow(line, key);
        const job = await segueClient(temporal, own).media.get(key);
        await eventually('that it can be submitted again', () =>
          job.resolve({ action: 'resubmit', by: 'sam', reason: 'not there' }),
        );
        await eventually('the second hold', async () => {
          const state = await job.state();
          return state?.stage === 'held' && state.attempts.length === 2;
        });
        await temporal.client.workflow.getHandle(`media/${key}`).terminate('by mistake');
        const requestId = `${key}.submit.2`;
        await eventually('its row', async () => {
          const row = await heldRow(line, key);
          return row.status === 'terminated' && row.requestId === requestId;
        });
        expect((await segue(['retry', key], ours)).stderr).toContain(requestId);
      };
      await withWorker(temporal, own, slow.url, submitTwice, { worker: patientPosts() });
      await slow.stop();
    },
  );

  test.concurrent(
    'P2: a job that timed out is listed too, and a job that was reset is not: it goes on',
    async () => {
      const [timedOut, reset] = [newKey(), newKey()];
      const request = { image_url: `${sandbox.url}/samples/shoe.png` };
      const input = { key: timedOut, tool: 'remove-background', request };
      await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId: `media/${timedOut}`,
        // Nobody polls it.
        taskQueue: testConfig().taskQueue,
        args: [input],
        workflowExecutionTimeout: '1s',
        typedSearchAttributes: attributesOfJob(input, 'submitting'),
      });
      expect(await heldRow(line, timedOut)).toMatchObject({ why: 'timedOut', hold: null });

      await startJob(line, reset, { poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });
      await untilSubmitted(line, reset);
      const { runId } = await temporal.client.workflow.getHandle(`media/${reset}`).describe();
      await resetRun(temporal, { workflowId: `media/${reset}`, runId });
      await eventually('the old run in the list', async () => {
        const query = `RunId = '${runId}' AND ExecutionStatus = 'Terminated' AND SegueStage = 'polling'`;
        return (await temporal.client.workflow.count(query)).count === 1;
      });
      const rows = (await heldRows(line)).filter(({ key }) => key === reset);
      expect(rows.every(({ runId: listed }) => listed !== runId)).toBe(true);
      await temporal.client.workflow.getHandle(`media/${reset}`).terminate();
    },
  );

  test.concurrent(
    'P1 P2: a job that timed out and was repeated by a retry policy is listed, and not paid for again',
    async () => {
      const key = newKey();
      const request = { image_url: `${sandbox.url}/samples/shoe.png` };
      const input = {
        key,
        tool: 'remove-background',
        request,
        poll: { min: '1h', max: '1h', deadline: '1h' },
      };
      await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId: `media/${key}`,
        taskQueue: config.taskQueue,
        args: [input],
        // Longer than a submission may take: the server ends that sooner, too.
        workflowRunTimeout: '30s',
        retry: { maximumAttempts: 2, initialInterval: '100ms' },
        typedSearchAttributes: attributesOfJob(input, 'submitting'),
      });
      const task = await untilSubmitted(line, key);
      await eventually(
        'the run that repeats it',
        async () => (await reportOf(line, key)).status === 'failed',
      );
      expect(await heldRow(line, key)).toMatchObject({ why: 'timedOut', taskId: task });
      expect(await segue(['retry', key], settings)).toMatchObject({ code: 2, stdout: '' });
      expect(await tasksOf(sandbox.url, key)).toEqual([task]);
      expect(await tasksOf(sandbox.url, `${key}+2`)).toEqual([]);
    },
  );

  test.concurrent('P2: terminated runs without an input do not break the list', async () => {
    const held = await startHeldJob(line);
    const keys = Array.from({ length: 12 }, newKey);
    // Older than the one that is held, for the list.
    for (const key of keys) {
      const started = await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId: `media/${key}`,
        taskQueue: config.taskQueue,
        startDelay: '1h',
        typedSearchAttributes: attributesOfJob({ tool: 'remove-background' }, 'submitting'),
      });
      await started.terminate();
    }
    const last = await startHeldJob(line);
    expect(await heldRow(line, last)).toMatchObject({ answered: true, why: 'unknown' });
    const rows = await heldRows(line);
    expect(rows.find(({ key }) => key === held)).toMatchObject({ answered: true, why: 'unknown' });
    const command = expect.stringMatching(/^segue media start remove-background .* TASK_ID$/) as string;
    const nonsense = rows.filter(({ key }) => keys.includes(key));
    expect(nonsense).toHaveLength(keys.length);
    for (const row of nonsense) expect(row).toMatchObject({ why: 'terminated', next: [{ command }, {}] });
    for (const key of [held, last]) await temporal.client.workflow.getHandle(`media/${key}`).terminate();
  });

  test.concurrent(
    'P2: a job of its own whose key looks like a successor hides none, however it goes on; one that runs it again takes it off the list',
    async () => {
      const begin = (key: string) =>
        temporal.client.workflow.start('media', {
          memo: OWN_START,
          workflowId: `media/${key}`,
          taskQueue: config.taskQueue,
          startDelay: '1h',
          typedSearchAttributes: attributesOfJob({ tool: 'remove-background' }, 'waiting'),
        });
      const key = newKey();
      const { taskQueue } = testConfig();
      const workflowId = `media/${key}-next`;
      const unrelated = await temporal.client.workflow.start('media', {
        memo: OWN_START,
        workflowId,
        taskQueue,
      });
      await (await begin(key)).terminate();
      // Its latest run began after the stop; the job itself did not.
      await continueAsNew(temporal, taskQueue);
      const { runId } = await temporal.client.workflow.getHandle(workflowId).describe();
      expect(runId).not.toBe(unrelated.firstExecutionRunId);
      expect(await heldRow(line, key)).toMatchObject({ why: 'terminated' });
      const again = await begin(`${key}+2`);
      await untilUnlisted(line, key);
      await Promise.all([unrelated.terminate(), again.cancel()]);
    },
  );

  test.concurrent(
    'P1: a job whose submission nobody knows tells what to look for, and is not run again',
    async () => {
      const key = await startHeldJob(line);
      await temporal.client.workflow.getHandle(`media/${key}`).terminate();
      const row = await heldRow(line, key);
      expect(row).toMatchObject({ why: 'terminated', requestId: `${key}.submit.1`, taskId: null });
      expect(row.next).toHaveLength(2);
      const refused = await segue(['retry', `media/${key}`], settings);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`X-Request-Id ${key}.submit.1`);
      expect(await tasksOf(sandbox.url, key)).toHaveLength(1);

      const [, { command } = { command: '' }] = row.next as { command: string }[];
      const next = await segue(withRequest(command, sandbox.url), settings);
      expect(next).toMatchObject({ code: 0, stdout: `media/${key}-next` });
      expect((await heldRows(line)).every((listed) => listed.key !== key)).toBe(true);
      expect(await segue(['media', 'follow', `${key}-next`], settings)).toMatchObject({ code: 0 });
    },
  );
});
