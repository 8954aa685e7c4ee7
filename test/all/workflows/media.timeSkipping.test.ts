/** The same workflow where hours pass in seconds: real pauses of 15 to 20 s on the time-skipping server. */
import { randomUUID } from 'node:crypto';
import { tsToMs } from '@temporalio/common/lib/time';
import { stateQuery } from '../../../src/contract';
import { mediaWorkflowId } from '../../../src/contract/ids';
import { startByName, OWN_START } from '../../support/builders/jobs';
import { answer, startRawServer } from '../../support/service/rawServer';
import { eventually } from '../../support/eventually';
import { addFault, answering, ask, readLedger, startSandbox } from '../../support/service/sandbox';
import { testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import { seedProject } from '../../support/builders/writing';

const HOUR_MS = 3_600_000;

const temporal = useTimeSkipping();

async function runJob(polls: number, poll: Record<string, string>) {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls } });
  const config = testConfig({ submit: { timeout: '60s', authGrace: '1h' } });
  const key = `job-${randomUUID()}`;
  try {
    return await withWorker(
      temporal,
      config,
      sandbox.url,
      async () => {
        const handle = await startByName(temporal, config, sandbox.url, { key, poll });
        const result: unknown = await handle.result().catch((error: unknown) => error);
        const { events } = await handle.fetchHistory();
        return { result, events: events ?? [], ledger: await readLedger(sandbox.url) };
      },
      { checkScheduledTime: false },
    );
  } finally {
    await sandbox.stop();
  }
}

/** The timers of a job that only polls. */
function pausesOf(events: Awaited<ReturnType<typeof runJob>>['events']): number[] {
  return events.flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [tsToMs(timer.startToFireTimeout)] : [],
  );
}

test.each([true, false])(
  'P2: a cancelled job ends when the writer of its project knows its task, however long the service is away, with ETags: %s',
  async (etags) => {
    const sandbox = await startSandbox({ pace: { kind: 'time', ms: 24 * HOUR_MS }, etags });
    const project = await seedProject(sandbox.url);
    const config = testConfig({ submit: { timeout: '60s', authGrace: '1h' } });
    const work = async (): Promise<void> => {
      const submitted = await startByName(temporal, config, sandbox.url, { key: `task-${randomUUID()}` });
      const taskOf = async () => (await submitted.query(stateQuery)).taskId ?? undefined;
      await eventually('its task', async () => (await taskOf()) !== undefined);
      // With a task it submits nothing, which would ask for the workspace: so the writer is not known yet.
      const spec = { key: `job-${randomUUID()}`, write: { project, at: '/job' }, taskId: await taskOf() };
      const run = await startByName(temporal, config, sandbox.url, spec);
      const isAt = async (stage: string): Promise<boolean> => (await run.query(stateQuery)).stage === stage;
      await eventually('the polls', () => isAt('polling'));
      // Nobody told which workspace it is, and the service does not either.
      await addFault(sandbox.url, answering(503, 'get-workspace'));
      await run.cancel();
      await eventually('that it wants to write', () => isAt('writing'));
      await temporal.skip(600_000);
      expect((await run.describe()).status.name).toBe('RUNNING');
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      const { json } = await ask(sandbox.url, `GET /projects/${project.resourcetype}/${project.id}`);
      expect(json.data).toMatchObject({ job: { status: 'cancelled', taskId: expect.any(String) } });
    };
    await withWorker(temporal, config, sandbox.url, work, { checkScheduledTime: false });
    await sandbox.stop();
  },
);

describe('a media job over hours', () => {
  test('P2: polls every 15 to 20 s for over an hour and ends when the service does', async () => {
    const { result, events, ledger } = await runJob(240, { deadline: '3h' });
    expect(result).toMatchObject({ status: 'succeeded', polls: 240 });
    const pauses = pausesOf(events);
    expect(pauses).toHaveLength(240);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(20_000);
    expect(new Set(pauses).size).toBeGreaterThan(100);
    const { submittedAt, finishedAt } = result as { submittedAt: string; finishedAt: string };
    expect(Date.parse(finishedAt) - Date.parse(submittedAt)).toBeGreaterThan(HOUR_MS);
    expect(ledger.summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test.each([
    ['P2: denied for less than the grace, then let in: it is submitted', 20, 'succeeded'],
    ['P2: denied for longer than the grace: it fails with the words of the service', 1_000, 'Refused'],
  ])('%s', async (_case, denials, end) => {
    let denied = 0;
    const server = await startRawServer((socket, request) => {
      const isPost = request.startsWith('POST');
      if (!isPost) socket.end(answer('200 OK', '{"status":"SUCCESS"}'));
      else if (++denied > denials) socket.end(answer('202 Accepted', '{"task_id":"t-1"}'));
      else socket.end(answer(denied % 2 ? '401 Unauthorized' : '403 Forbidden', '{"detail":"no key"}'));
    });
    const config = testConfig({ submit: { timeout: '60s', authGrace: denials === 20 ? '2h' : '1h' } });
    const key = `job-${randomUUID()}`;
    const input = {
      key,
      tool: 'remove-background',
      request: { image_url: 'https://example.com/a.png' },
      submit: config.submit,
    };
    await withWorker(
      temporal,
      config,
      server.url,
      async () => {
        const result: unknown = await temporal.client.workflow
          .execute('media', {
            memo: OWN_START,
            workflowId: mediaWorkflowId(key),
            taskQueue: config.taskQueue,
            args: [input],
          })
          .catch((error: unknown) => error);
        if (end === 'succeeded') expect(result).toMatchObject({ status: 'succeeded', taskId: 't-1' });
        else
          expect(result).toMatchObject({ cause: { type: end, message: expect.stringContaining('no key') } });
      },
      { checkScheduledTime: false },
    );
    // 10 s doubling to 5 min: an hour is some sixteen tries, not two and not hundreds.
    if (end !== 'succeeded') expect([denied > 12, denied < 20]).toEqual([true, true]);
    await server.stop();
  });

  test('P2: after the deadline it goes on at a slower pace', async () => {
    const { result, events } = await runJob(10, { deadline: '1m' });
    expect(result).toMatchObject({ status: 'succeeded', polls: 10 });
    const pauses = pausesOf(events);
    expect(pauses.slice(0, 3).every((ms) => ms <= 20_000)).toBe(true);
    expect(pauses.slice(4).every((ms) => ms === 300_000)).toBe(true);
  });

  test('P2: it gives up after the give-up time, with the task id in the failure', async () => {
    const { result, ledger } = await runJob(1_000, { deadline: '1m', giveUp: '1h' });
    const [submission] = ledger.entries.filter(({ kind }) => kind === 'submit');
    expect(result).toMatchObject({
      cause: { type: 'GivenUp', details: [{ taskId: submission?.taskId }] },
    });
    expect(ledger.summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});
