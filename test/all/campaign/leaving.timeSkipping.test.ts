/** A campaign that is cancelled while its project cannot be written: the project's writer goes on without it. */
import { projectWriterId, shardOf } from '../../../src/contract/ids';
import { cutout, keptOf, newCampaign, startCampaign } from '../../support/builders/campaign';
import { eventually } from '../../support/eventually';
import { addFault, answering, useSandbox } from '../../support/service/sandbox';
import { testConfig, useTimeSkipping, withWorker } from '../../support/servers/temporal';
import { removeFaults } from '../../support/builders/writing';

const temporal = useTimeSkipping();
const config = testConfig({ poll: { min: '1h', max: '1h', deadline: '1d', giveUp: '7d' } });

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandbox({ pace: { kind: 'time', ms: 3_600_000 }, etags });

  test('P2: a cancelled campaign ends while the service takes no PATCH, and the project knows its end once it does', async () => {
    const spec = await newCampaign(sandbox.url, {
      media: { first: cutout(sandbox.url), second: cutout(sandbox.url, 'shoe') },
      concurrency: 1,
    });
    const cancelled = async (): Promise<void> => {
      const { handle } = await startCampaign(temporal, config, spec);
      const writer = temporal.client.workflow.getHandle(
        projectWriterId(sandbox.workspace, shardOf(spec.project)),
      );
      const { open } = await eventually('the task in the project', async () => {
        const { lifecycle } = await keptOf(sandbox.url, spec).catch(() => ({ lifecycle: undefined }));
        return lifecycle?.open.some(({ taskId }) => taskId !== null) ? lifecycle : undefined;
      });
      await addFault(sandbox.url, answering(503, 'update-project'));
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow(/cancelled/i);
      expect(await keptOf(sandbox.url, spec)).toMatchObject({ lifecycle: { stage: 'producing' } });
      await removeFaults(sandbox.url);
      await writer.result();
      expect(await keptOf(sandbox.url, spec)).toMatchObject({
        lifecycle: { stage: 'cancelled', open: [] },
        media: { first: { status: 'cancelled', taskId: open[0]?.taskId }, second: { status: 'cancelled' } },
      });
    };
    await withWorker(temporal, config, sandbox.url, cancelled, {
      checkScheduledTime: false,
      // What a write without ETags waits until a PATCH cannot arrive any more is not skipped.
      writeTimeoutMs: 500,
    });
  });
});
