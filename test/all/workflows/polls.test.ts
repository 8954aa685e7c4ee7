/** What an operator sees of the timer before a poll, and how `pollNow` cuts it short. */
import { randomUUID } from 'node:crypto';
import { tsToMs } from '@temporalio/common/lib/time';
import { eventually } from '../../support/eventually';
import { useProcesses } from '../../support/servers/processes';
import { readLedger } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

test('P2: a poll is a timer with a summary, then one GET without a failed attempt', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=2');
  const config = testConfig({ poll: { min: '10m', max: '10m', deadline: '1h', giveUp: '7d' } });
  const worker = await processes.worker(config.taskQueue, sandboxUrl);
  const job = await segueClient(temporal, config).media.start({
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
  });
  const handle = temporal.client.workflow.getHandle(job.workflowId);

  const timer = await eventually('the timer', async () => {
    const { events } = await handle.fetchHistory();
    return events?.find(({ timerStartedEventAttributes: started }) => started);
  });
  expect(tsToMs(timer.timerStartedEventAttributes?.startToFireTimeout)).toBe(600_000);
  const summary = Buffer.from(timer.userMetadata?.summary?.data ?? []).toString();
  expect(summary).toMatch(/^"next poll of task .+"$/);

  for (const polls of [1, 2]) {
    await eventually('the timer', async () => (await job.state())?.nextPollAt);
    expect(await job.pollNow()).toMatchObject({ polls });
  }
  expect(await job.wait()).toMatchObject({ status: 'succeeded' });
  const { entries } = await readLedger(sandboxUrl);
  expect(entries.filter(({ operation }) => operation === 'get-task')).toHaveLength(2);
  const { events = [] } = await handle.fetchHistory();
  const attempts = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
    started ? [started.attempt] : [],
  );
  expect(new Set(attempts)).toEqual(new Set([1]));
  await worker.end('SIGTERM');
});
