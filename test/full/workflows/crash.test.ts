/** Processes that die: the job goes on, and the service sees one POST. */
import { randomUUID } from 'node:crypto';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { eventually } from '../../support/eventually';
import { addFault, ask, readLedger } from '../../support/service/sandbox';
import { useProcesses } from '../../support/servers/processes';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

describe('when a process dies', () => {
  test('P1 P2: kill -9 of the worker between submit and poll, and in the middle of a poll: another one finishes the job, with one POST', async () => {
    const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
    const config = testConfig({ poll: { min: '3s', max: '3s', deadline: '1h', giveUp: '7d' } });
    const doomed = await processes.worker(config.taskQueue, sandboxUrl);
    const job = await segueClient(temporal, config).media.start({
      key: `job-${randomUUID()}`,
      tool: 'remove-background',
      request: { image_url: `${sandboxUrl}/samples/shoe.png` },
    });
    // Recorded, so past the submit; the first poll is seconds away.
    await eventually('the accepted submission', async () => (await job.state())?.stage === 'polling');
    const before = await readLedger(sandboxUrl);
    expect(before.entries.map(({ kind }) => kind)).toEqual(['submit']);
    await doomed.end('SIGKILL');

    // The next one asks, and never hears an answer.
    await addFault(sandboxUrl, {
      operation: 'get-task',
      match: { nth: 1 },
      fault: 'hang',
      when: 'before',
    });
    const next = await processes.worker(config.taskQueue, sandboxUrl);
    await eventually('the question', async () => {
      const { json } = await ask(sandboxUrl, 'GET /_sandbox/faults');
      return (json.faults as { hits: number }[] | undefined)?.[0]?.hits === 1;
    });
    await next.end('SIGKILL');

    await processes.worker(config.taskQueue, sandboxUrl);
    expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId: before.entries[0]?.taskId });
    expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
  });

  test('SIGTERM of an idle worker ends it with 0', async () => {
    const sandboxUrl = await processes.sandbox();
    const worker = await processes.worker(testConfig().taskQueue, sandboxUrl);
    const { code, stderr } = await worker.end('SIGTERM');
    expect(code).toBe(0);
    expect(stderr).toContain('draining');
  });
});
