import { msToTs } from '@temporalio/common/lib/time';
import { temporal as proto } from '@temporalio/proto';
import { eventually } from '../eventually';
import { ask, faultHits } from '../service/sandbox';
import { type TestTemporal } from './temporal';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.api.enums.v1.PendingActivityState;

/**
 * Fails an activity as its schedule-to-close timeout would, while the sandbox does not answer its request: the
 * attempt fails, and the next one would come after that timeout. The time-skipping server cannot show it reliably: it
 * ignores a timeout that ends on a whole second.
 */
export async function giveUpUnanswered(
  { client }: Pick<TestTemporal, 'client'>,
  sandboxUrl: string,
  workflowId: string,
  type: string,
): Promise<void> {
  const run = client.workflow.getHandle(workflowId);
  await eventually(`an attempt of ${type} that waits for its answer`, async () => {
    const [hits = 0] = await faultHits(sandboxUrl);
    const { pendingActivities } = (await run.describe()).raw;
    const pending = pendingActivities?.find(({ activityType }) => activityType?.name === type);
    return pending?.state === PENDING_ACTIVITY_STATE_STARTED && pending.attempt === hits;
  });
  const longest = msToTs('365d');
  await client.workflowService.updateActivityOptions({
    ...{ namespace: 'default', execution: { workflowId }, type, identity: 'a test' },
    activityOptions: { retryPolicy: { initialInterval: longest, maximumInterval: longest } },
    updateMask: { paths: ['retryPolicy.initialInterval', 'retryPolicy.maximumInterval'] },
  });
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
}
