/** A lock as in the SDK's samples: a workflow that grants it to one run after the other. */
import {
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

/** The argument is the workflow id of the run that asks. */
export const acquireSignal = defineSignal<[string]>('acquire');
export const grantedSignal = defineSignal('granted');
export const releaseSignal = defineSignal('release');

/** The lock workflow ends after this time without a request. */
const IDLE_AFTER = '10s';

export async function projectLock(waiting: string[] = []): Promise<void> {
  let owner: string | undefined;
  setHandler(acquireSignal, (workflowId) => {
    // The activity that asks may be retried.
    if (workflowId !== owner && !waiting.includes(workflowId)) waiting.push(workflowId);
  });
  setHandler(releaseSignal, () => {
    owner = undefined;
  });
  while (await condition(() => waiting.length > 0, IDLE_AFTER)) {
    owner = waiting.shift() ?? '';
    await getExternalWorkflowHandle(owner).signal(grantedSignal);
    await condition(() => owner === undefined);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof projectLock>(waiting);
  }
}
