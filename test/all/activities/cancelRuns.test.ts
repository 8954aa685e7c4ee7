/** How a campaign tells its jobs to stop, on a real server. */
import { randomUUID } from 'node:crypto';
import { cancelRuns } from '../../../src/activities/runs';
import { startIdleCampaign } from '../../support/builders/campaign';
import { useTemporal } from '../../support/servers/temporal';
import { activityEnvironment } from '../../support/servers/log';

const temporal = useTemporal();

test('runs are told to stop, also twice, whatever has become of others in the list', async () => {
  const [open, over] = await Promise.all(
    ['open', 'over'].map((name) => startIdleCampaign(temporal, `${name}-${randomUUID()}`)),
  );
  if (!open || !over) throw new Error('nothing was started');
  await over.terminate();
  const list = [over.workflowId, `campaign/none-${randomUUID()}`, open.workflowId];
  const environment = activityEnvironment({}, { client: temporal.client });
  await environment.run(cancelRuns, list);
  await environment.run(cancelRuns, list);
  const { events } = await open.fetchHistory();
  expect(events?.filter((event) => event.workflowExecutionCancelRequestedEventAttributes)).toHaveLength(1);
  await open.terminate();
});
