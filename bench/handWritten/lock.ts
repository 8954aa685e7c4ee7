/** A lock, as the SDK's samples make one: a workflow that grants it to one run after the other. */
import {
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

export const acquireSignal = defineSignal<[string]>('acquire');
export const grantedSignal = defineSignal('granted');
export const releaseSignal = defineSignal<[string]>('release');

/** Ends when nobody has asked for a while. */
const IDLE_AFTER = '10s';

export async function projectLock(waiting: string[] = []): Promise<void> {
  let owner: string | undefined;
  setHandler(acquireSignal, (run) => void waiting.push(run));
  setHandler(releaseSignal, (run) => {
    if (owner === run) owner = undefined;
  });
  while (waiting.length > 0 || (await condition(() => waiting.length > 0, IDLE_AFTER))) {
    owner = waiting.shift();
    if (owner === undefined) continue;
    await getExternalWorkflowHandle(owner).signal(grantedSignal);
    await condition(() => owner === undefined);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof projectLock>(waiting);
  }
}
