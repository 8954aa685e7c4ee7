/** Transcripts whose history is soon too long: they continue as new, and know what they knew. */
import { transcriptWorkflowId } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import {
  SANDBOX_PLACES,
  seedRecord,
  seedTranscription,
  SRT,
  tellWebhook,
} from '../../support/service/records';
import {
  addFault,
  answering,
  ask,
  readLedger,
  withSandbox,
  startSandbox,
} from '../../support/service/sandbox';
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

async function untilNextRun({ workflowId, runId }: { workflowId: string; runId: string }): Promise<void> {
  const handle = temporal.client.workflow.getHandle(workflowId);
  await eventually('another run', async () => (await handle.describe()).runId !== runId);
}

test('P2: a transcript whose file cannot be had continues as new, and the run after downloads it', () =>
  withSandbox({}, async (url) => {
    const transcriptionId = await seedTranscription(url);
    await addFault(url, answering(503, 'download-subtitles'));
    const config = testConfig();
    await withWorker(temporal, config, url, async () => {
      const job = await segueClient(temporal, config).transcripts.start({ transcriptionId });
      await untilNextRun(job);
      expect(await job.state()).toMatchObject({ stage: 'downloading', jobStatus: 'DONE' });
      await ask(url, 'DELETE /_sandbox/faults');
      expect(await job.wait()).toMatchObject({ status: 'succeeded', info: { text: SRT } });
    });
  }));

test('P4: a transcript whose user is notified late is downloaded once and notified once', () =>
  withSandbox({}, async (url) => {
    const transcriptionId = await seedTranscription(url);
    await addFault(url, answering(403, 'notify'));
    const config = testConfig();
    await withWorker(temporal, config, url, async () => {
      const notify = { userId: '1', workspaceId: WORKSPACE };
      const job = await segueClient(temporal, config).transcripts.start({ transcriptionId, notify });
      await eventually('two refusals', async () => {
        const { entries } = await readLedger(url);
        return entries.filter(({ operation }) => operation === 'notify').length > 1;
      });
      await ask(url, 'DELETE /_sandbox/faults');
      expect(await job.wait()).toMatchObject({ status: 'succeeded', info: { text: SRT } });
    });
    const { summary, entries } = await readLedger(url);
    expect(summary).toMatchObject({ notifications: 1, duplicateNotifications: 0 });
    expect(entries.filter(({ operation }) => operation === 'download-subtitles')).toHaveLength(1);
  }));

test('P2: a wait for a record continues as new, and counts on', () =>
  withSandbox({}, async (url) => {
    const id = await seedRecord(url, 'asset', [...Array<number>(30).fill(1), 4]);
    const config = testConfig();
    const work = async (): Promise<void> => {
      const job = await segueClient(temporal, config).records.start({ kind: 'asset', id });
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
      const { runId } = await temporal.client.workflow.getHandle(job.workflowId).describe();
      expect(runId).not.toBe(job.runId);
      expect(await job.state()).toMatchObject({ polls: 31 });
    };
    await withWorker(temporal, config, url, work, { layout: SANDBOX_PLACES });
  }));
