/** Polls, queries, signals and Updates that come at the same moment: what happened is what replays. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { reportToSignal } from '../../../src/contract';
import { eventually } from '../../support/eventually';
import { useSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();
const sandbox = useSandbox({ pace: { kind: 'polls', polls: 1_000_000 } });

/** Nobody is there to listen; a run sends its news all the same, to no more than these. */
const LISTENERS = Array.from({ length: 20 }, (_, n) => `nobody-${n}`);

test('P6: a run that is asked, told and polled all at once replays', async () => {
  const config = testConfig({ poll: { min: '50ms', max: '200ms', deadline: '1h', giveUp: '7d' } });
  await withWorker(temporal, config, sandbox.url, async () => {
    const job = await segueClient(temporal, config).media.start({
      key: `moment-${randomUUID()}`,
      tool: 'remove-background',
      request: { image_url: `${sandbox.url}/samples/mug.png` },
    });
    const run = temporal.client.workflow.getHandle(job.workflowId);
    await eventually('a poll', async () => ((await job.state())?.polls ?? 0) > 0);
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) await job.state();
    })();
    for (const workflowId of LISTENERS)
      await Promise.all([job.pollNow(), run.signal(reportToSignal, { workflowId }), job.pollNow()]);
    over.abort();
    await asking;
    const history = await run.fetchHistory();
    await run.terminate();
    await Worker.runReplayHistory(
      { workflowBundle: { codePath: shared().bundlePath } },
      history,
      job.workflowId,
    );
    const sent = history.events?.filter(
      (event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes,
    );
    expect(sent).toHaveLength(LISTENERS.length);
  });
});
