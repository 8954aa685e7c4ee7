/** Long waits: storms of poll errors, tasks that are lost or late, and people who do not want to wait. */
import { randomUUID } from 'node:crypto';
import { type Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { type MediaSpec } from '../../src/client/jobs/mediaSpec';
import { sendOrder } from '../../src/client/ordering';
import { type StarterConfig } from '../../src/config';
import { pollNowUpdate } from '../../src/contract';
import { NoAnswerError } from '../../src/errors';
import { mediaWorkflowId } from '../../src/ids';
import { type FaultName } from '../../src/sandbox/faults';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { resetRun } from '../support/reset';
import { addFault, answering, ask, readLedger } from '../support/sandbox';
import { shared } from '../support/shared';
import { segueClient, testConfig, useTemporal, useTimeSkipping, withWorker } from '../support/temporal';

/** Time in which answers that never come are waited for; no more than that is asserted of it. */
const STORM_TIMEOUT_MS = shared().full ? 400_000 : 120_000;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ pace: { kind: 'instant' } });
});
afterEach(() => sandbox.stop());

function job(more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  return { key: `wait-${randomUUID()}`, tool: 'remove-background', request, ...more };
}

async function polls(): Promise<number> {
  const { entries } = await readLedger(sandbox.url);
  return entries.filter(({ operation }) => operation === 'get-task').length;
}

describe('where hours pass in seconds', () => {
  const temporal = useTimeSkipping();

  async function whileRunning<T>(
    work: (handle: { result: () => Promise<unknown> }, key: string) => Promise<T>,
    poll?: MediaSpec['poll'],
  ) {
    const config = testConfig({ submit: { timeout: '60s', authGrace: '1h' } });
    const { key, ...spec } = job();
    const run = async (): Promise<T> => {
      const handle = await temporal.client.workflow.start('media', {
        workflowId: mediaWorkflowId(key),
        taskQueue: config.taskQueue,
        args: [{ key, ...spec, poll }],
      });
      return work(handle, key);
    };
    return withWorker(temporal, config, sandbox.url, run, { checkScheduledTime: false });
  }

  /**
   * Lets the minutes pass in which a 404 is tolerated, and no more: whoever awaits the result lets all time pass, also
   * while the run is held, and that ends with the run's own time.
   */
  async function untilMissing(key: string) {
    const job = await segueClient(temporal, testConfig()).media.get(key);
    await eventually('the first pause', async () => (await job.state())?.nextPollAt);
    const { testService } = temporal.client.connection as Connection;
    await testService?.unlockTimeSkippingWithSleep({ duration: msToTs('400s') });
    const state = await eventually('the hold', async () => {
      const now = await job.state();
      return now?.stage === 'held' ? now : undefined;
    });
    return { job, state };
  }

  /** An hour at a minute each, two more at 5 min. Every poll takes real time, however long the hours are. */
  const EVERY_MINUTE = { min: '60s', max: '60s', deadline: '1h', giveUp: '7d' } as const;
  /** A poll that hangs takes its whole 10 s, so they are fewer. */
  const SELDOM = {
    ...EVERY_MINUTE,
    ...(shared().full ? { min: '10m', max: '10m' } : { min: '1h', max: '1h' }),
  };

  interface Storm {
    fault: { fault: FaultName; status?: number };
    poll: NonNullable<MediaSpec['poll']>;
    /** How many polls three hours have. */
    polls: number;
    meets: string;
  }
  const storms: [string, Storm][] = [
    ['500s', { fault: { fault: 'status', status: 500 }, poll: EVERY_MINUTE, polls: 84, meets: '500' }],
    ['401s', { fault: { fault: 'status', status: 401 }, poll: EVERY_MINUTE, polls: 84, meets: '401' }],
    [
      'answers that never come',
      { fault: { fault: 'hang' }, poll: SELDOM, polls: shared().full ? 18 : 3, meets: 'within 10000 ms' },
    ],
  ];
  test.each(storms)(
    'P2: three hours of %s do not end a job',
    async (_case, { fault, poll, polls, meets }) => {
      await addFault(sandbox.url, { operation: 'get-task', match: { every: 1 }, when: 'before', ...fault });
      await whileRunning(async (handle, key) => {
        const result = handle.result();
        const stormy = await segueClient(temporal, testConfig()).media.get(key);
        const afterHours = async () => {
          const state = await stormy.state();
          return state && state.polls >= polls ? state : undefined;
        };
        expect(await eventually('three hours of polls', afterHours, STORM_TIMEOUT_MS)).toMatchObject({
          lastError: expect.stringContaining(meets),
        });
        await ask(sandbox.url, 'DELETE /_sandbox/faults');
        expect(await result).toMatchObject({ status: 'succeeded' });
      }, poll);
      expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
    },
    STORM_TIMEOUT_MS,
  );

  test('P2: a task that the service does not know is waited for, then a person decides', async () => {
    await addFault(sandbox.url, answering(404, 'get-task'));
    await whileRunning(async (handle, key) => {
      const { job, state } = await untilMissing(key);
      expect(state).toMatchObject({
        hold: {
          why: 'missing',
          reason: expect.stringContaining('404'),
          actions: ['adopt', 'resubmit', 'abandon'],
        },
      });
      // Tolerated for five minutes of polls first.
      expect(state.polls).toBeGreaterThan(15);
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      await job.resolve({ action: 'adopt', taskId: state.taskId ?? '', by: 'Olga', reason: 'it is back' });
      expect(await handle.result()).toMatchObject({ status: 'succeeded', taskId: state.taskId });
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test.each(['adopt', 'resubmit'] as const)(
    'P2: after a decision to %s, the time of the lost task no longer counts',
    async (action) => {
      await addFault(sandbox.url, answering(404, 'get-task'));
      // Less than has passed when it is held.
      const poll = { min: '15s', max: '15s', deadline: '311s', giveUp: '311s' } as const;
      await whileRunning(async (handle, key) => {
        const { job, state } = await untilMissing(key);
        await ask(sandbox.url, 'DELETE /_sandbox/faults');
        const taskId = action === 'adopt' ? (state.taskId ?? '') : undefined;
        await job.resolve({ action, taskId, by: 'Olga', reason: 'looked it up' });
        expect(await handle.result()).toMatchObject({ status: 'succeeded' });
        expect(await job.state()).toMatchObject({ hold: null });
      }, poll);
    },
  );
});

describe('on a dev server', () => {
  const temporal = useTemporal();
  let config: StarterConfig;

  async function withLateJob(work: (job: Awaited<ReturnType<typeof start>>) => Promise<void>): Promise<void> {
    await sandbox.stop();
    sandbox = await startSandbox({ pace: { kind: 'polls', polls: 40 } });
    config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '500ms', giveUp: '7d' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      await work(await start());
    });
  }

  function start() {
    const notify = { userId: 'u', workspaceId: '1' };
    return segueClient(temporal, config).media.start(job({ notify }));
  }

  async function untilOverdue(late: Awaited<ReturnType<typeof start>>) {
    return eventually('the deadline', async () => {
      const state = await late.state();
      return state?.stage === 'overdue' ? state : undefined;
    });
  }

  test('P2: an overdue job says so once, and ends well when the service does', async () => {
    await withLateJob(async (late) => {
      const state = await untilOverdue(late);
      expect(state.hold).toMatchObject({ why: 'overdue', actions: ['abandon'] });
      // Slower now: only who asks hears sooner.
      while ((await late.pollNow()).stage === 'overdue');
      expect(await late.wait()).toMatchObject({ status: 'succeeded' });
    });
    const { json } = await ask(sandbox.url, 'GET /_sandbox/notifications');
    expect(json.notifications).toMatchObject([
      {
        request: { category: 'agentNeedsInput', _extra: { event_type: expect.stringContaining('overdue') } },
      },
      { request: { category: 'agentTaskCompleted' } },
    ]);
  });

  test('a job whose polls meet errors says so when it is overdue', async () => {
    await addFault(sandbox.url, answering(401, 'get-task'));
    config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '500ms', giveUp: '7d' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      const late = await start();
      const { hold } = await untilOverdue(late);
      // Who reads it in a list or in the alarm is not sent to look for a task that takes long.
      expect(hold?.reason).toMatch(/is not over after 500ms; the last question met: .*401/);
      const handle = temporal.client.workflow.getHandle(late.workflowId);
      expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
        currentDetails: expect.stringMatching(/Needs a person[^]*The last question met an error.*401/),
      });
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      await late.pollNow();
      expect(await late.wait()).toMatchObject({ status: 'succeeded' });
    });
  });

  test('P2: an overdue job can be abandoned, and nothing else', async () => {
    await withLateJob(async (late) => {
      const { taskId } = await untilOverdue(late);
      const somebody = { by: 'Olga', reason: 'not needed' };
      await expect(late.resolve({ ...somebody, action: 'resubmit' })).rejects.toThrow('must be abandon');
      await late.resolve({ ...somebody, action: 'abandon' });
      expect(await late.wait()).toMatchObject({ status: 'abandoned', taskId });
    });
  });

  test('polling at once does not wait for the timer', async () => {
    config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      const started = await segueClient(temporal, config).media.start(job());
      await eventually('the timer', async () => (await started.state())?.nextPollAt ?? undefined);
      expect(await started.pollNow()).toMatchObject({ polls: 1 });
      expect(await started.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(await polls()).toBe(1);
  });

  test('P2: polling at once does not wait for an answer that hangs, and asks again', async () => {
    await addFault(sandbox.url, {
      ...{ operation: 'get-task', match: { nth: 1 } },
      ...{ fault: 'hang', when: 'before' },
    });
    config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const started = await segueClient(temporal, config).media.start(job());
      await eventually('the question', async () => {
        const { json } = await ask(sandbox.url, 'GET /_sandbox/faults');
        return (json.faults as { hits: number }[])[0]?.hits === 1;
      });
      expect(await started.pollNow()).toMatchObject({ polls: 1, lastError: null });
      expect(await started.wait()).toMatchObject({ status: 'succeeded' });
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('whoever stops waiting is told what was known', async () => {
    config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      const started = await segueClient(temporal, config).media.start(job());
      const stop = new AbortController();
      const report = await started.wait({
        signal: stop.signal,
        onChange: ({ taskId }) => {
          if (taskId !== null) stop.abort();
        },
      });
      expect(report).toMatchObject({ status: 'running', stage: 'polling', taskId: expect.any(String) });
      await started.cancel();
    });
  });

  test('P1: whoever waits for a run that is reset hears of the one that goes on', async () => {
    config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });
    await withWorker(temporal, config, sandbox.url, async () => {
      const started = await segueClient(temporal, config).media.start(job());
      await eventually('the polls', async () => (await started.state())?.stage === 'polling');
      const waiting = started.wait();
      await resetRun(temporal, started);
      expect(await waiting).toMatchObject({ status: 'held' });
      await started.cancel();
    });
  });

  test('an order is not waited for when the worker has gone', async () => {
    config = testConfig();
    const { workflowId } = await segueClient(temporal, config).media.start(job());
    const order = sendOrder(temporal.client, workflowId, pollNowUpdate, {}, 500);
    await expect(order).rejects.toThrow(NoAnswerError);
    await expect(order).rejects.toThrow('It was told');
    await temporal.client.workflow.getHandle(workflowId).terminate();
  });
});
