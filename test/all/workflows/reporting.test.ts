/** What a run tells those who wait for it, and what they cannot do to it. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { jobNewsSignal, reportToSignal } from '../../../src/contract';
import { eventually } from '../../support/eventually';
import { useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandboxEach({ pace: { kind: 'time', ms: 2_000 } });

function job() {
  const request = { image_url: `${sandbox.url}/samples/mug.png` };
  return { key: `news-${randomUUID()}`, tool: 'remove-background', request };
}

/** The stages that a run was told, as its history has them. */
async function newsOf(listener: WorkflowHandle): Promise<string[]> {
  const { events } = await listener.fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) =>
    signal?.signalName === jobNewsSignal.name
      ? [
          (JSON.parse(Buffer.from(signal.input?.payloads?.[0]?.data ?? '').toString()) as { stage: string })
            .stage,
        ]
      : [],
  );
}

test('whoever asks a run for its news is told where it is, and its end', async () => {
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const { media } = segueClient(temporal, config);
    // Nobody works on it, so it hears to the last.
    const { workflowId } = await segueClient(temporal, testConfig()).media.start(job());
    const listener = temporal.client.workflow.getHandle(workflowId);
    const told = await media.start(job());
    const run = temporal.client.workflow.getHandle(told.workflowId);
    await eventually('its task', async () => (await told.state())?.stage === 'polling');
    for (let twice = 0; twice < 2; twice++) await run.signal(reportToSignal, { workflowId });
    expect(await told.wait()).toMatchObject({ status: 'succeeded' });
    const news = await newsOf(listener);
    // Who asks twice is told twice where it is, and once of the end.
    expect([...new Set(news)]).toEqual(['polling', 'succeeded']);
    expect(news.filter((stage) => stage === 'succeeded')).toHaveLength(1);
    await listener.terminate();
  });
});

test('P2: listeners that are not there, or cannot be, keep no run from its end', async () => {
  const config = testConfig();
  await withWorker(temporal, config, sandbox.url, async () => {
    const told = await segueClient(temporal, config).media.start(job());
    const run = temporal.client.workflow.getHandle(told.workflowId);
    const ids = ['nobody', told.workflowId, '', 7, 'x'.repeat(1_001), 'ä'.repeat(501), '\ud800'];
    for (const args of [[], [null], ...ids.map((workflowId) => [{ workflowId }])])
      await run.signal(reportToSignal.name, ...args);
    expect(await told.wait()).toMatchObject({ status: 'succeeded' });
  });
});
