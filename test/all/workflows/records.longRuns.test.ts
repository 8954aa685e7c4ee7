/** Transcripts whose history is soon too long: they continue as new, and know what they knew. */
import { transcriptWorkflowId } from '../../../src/ids';
import { startSandbox } from '../../../src/sandbox/server';
import { eventually } from '../../support/eventually';
import { seedTranscription, SRT, tellWebhook } from '../../support/service/records';
import { readLedger } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  withWorker,
} from '../../support/servers/temporal';
import { WORKSPACE } from '../../support/builders/writing';

const temporal = useTemporal(() =>
  startOwnDevServer({
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 40 },
  }),
);

test('P2 P4: polls, status and an open question are carried over, and nobody is told again', async () => {
  const sandbox = await startSandbox();
  const transcriptionId = await seedTranscription(sandbox.url, { pace: 'webhook' });
  const config = testConfig({ poll: { min: '50ms', max: '50ms', deadline: '2s', giveUp: '7d' } });
  await withWorker(temporal, config, sandbox.url, async () => {
    const job = await segueClient(temporal, config).transcripts.start({
      transcriptionId,
      notify: { userId: '1', workspaceId: WORKSPACE },
    });
    const run = temporal.client.workflow.getHandle(transcriptWorkflowId(transcriptionId));
    const current = async (): Promise<string> => (await run.describe()).runId;
    // Where the machine is slow, the deadline comes before the history is long, and with it the slow pace.
    await eventually('another run', async () => {
      await job.pollNow().catch(() => undefined);
      return (await current()) !== job.runId;
    });
    expect((await job.state())?.polls).toBeGreaterThan(1);

    await eventually('the deadline', async () => (await job.state())?.stage === 'overdue');
    const overdue = await current();
    // The pace is slow now in any case; polling at once fills the history.
    await eventually('a run after that', async () => {
      await job.pollNow().catch(() => undefined);
      return (await current()) !== overdue;
    });
    expect(await job.state()).toMatchObject({
      ...{ stage: 'overdue', jobStatus: 'PROCESSING' },
      hold: { why: 'overdue', id: `${await current()}/1` },
    });
    await tellWebhook(sandbox.url, transcriptionId, 'DONE');
    await eventually('the end', async () => {
      await job.pollNow().catch(() => undefined);
      return (await job.report()).status === 'succeeded';
    });
    expect(await job.report()).toMatchObject({ info: { text: SRT, notified: { status: 'sent' } } });
  });
  const { summary, entries } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ notifications: 2, duplicateNotifications: 0 });
  expect(entries.map(({ requestId }) => requestId)).toContain(
    `transcript/${transcriptionId}.notify.overdue-1`,
  );
  await sandbox.stop();
});
