/** Processes that die: the job goes on, and the service sees one POST. */
import { randomUUID } from 'node:crypto';
import { segueClient, testConfig, useTemporal } from '../../support/servers/temporal';
import { eventually } from '../../support/eventually';
import { killWorker } from '../../support/service/onWire';
import { addFault, ask, readLedger, unanswered } from '../../support/service/sandbox';
import { useProcesses } from '../../support/servers/processes';
import { WORKSPACE } from '../../support/builders/writing';

const temporal = useTemporal();
const processes = useProcesses(() => temporal.address);

test('P1 P2: kill -9 of the worker between submit and poll, and in the middle of a poll: another one finishes the job, with one POST', async () => {
  const sandboxUrl = await processes.sandbox('--pace', 'polls=1');
  // A poll comes when it is asked for.
  const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });
  // A worker that knows its workspace does not ask for it at its start.
  const worker = () => processes.worker(config.taskQueue, sandboxUrl, { SEGUE_ORGANIZATION: WORKSPACE });
  const doomed = await worker();
  const job = await segueClient(temporal, config).media.start({
    key: `job-${randomUUID()}`,
    tool: 'remove-background',
    request: { image_url: `${sandboxUrl}/samples/shoe.png` },
  });
  await eventually('the accepted submission', async () => (await job.state())?.stage === 'polling');
  const [submit, ...others] = await killWorker(doomed, sandboxUrl);
  expect(submit).toMatchObject({ kind: 'submit', applied: true });
  expect(others).toEqual([]);

  // The next one asks, and never hears an answer.
  await addFault(sandboxUrl, unanswered('get-task'));
  const next = await worker();
  const asked = job.pollNow();
  await eventually('the question', async () => (await readLedger(sandboxUrl)).entries.length === 2);
  await next.end('SIGKILL');

  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
  await worker();
  await asked;
  await job.pollNow();
  expect(await job.wait()).toMatchObject({ status: 'succeeded', taskId: submit?.taskId });
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ submissions: 1, duplicates: 0 });
});
