/**
 * One run for each item, as a team writes it by hand: an activity for every HTTP call, a timer before every poll. It
 * keeps none of Segue's promises: a POST that times out is sent again.
 */
import {
  condition,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { type Activities, type Project } from './activities';
import { grantedSignal, releaseSignal } from './lock';

export { projectLock } from './lock';

const { submit, poll, readProject, patchProject, notify, acquire } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 5 },
});

export interface Item {
  key: string;
  request: object;
  pollEveryMs: number;
  project: Project;
  /** The field of the project's data that gets the result. */
  at: string;
  notice: { userId: string; workspaceId: string };
  /** The workflow id of the lock, where several items write to one project. */
  lock?: string;
}

export async function mediaByHand({ key, request, pollEveryMs, project, at, notice, lock }: Item) {
  const taskId = await submit(request);
  let task: Awaited<ReturnType<typeof poll>> = { status: 'PENDING' };
  while (task.status !== 'SUCCESS' && task.status !== 'FAILURE') {
    await sleep(pollEveryMs);
    task = await poll(taskId);
  }
  const release = lock === undefined ? undefined : await acquireLock(lock);
  const { data } = await readProject(project);
  await patchProject(project, { ...data, [at]: { key, taskId, info: task.info } });
  await release?.();
  await notify({ ...notice, title: 'Your media job is done', message: `${key} is finished.` });
  return { taskId, info: task.info };
}

/** Gives what releases it. */
async function acquireLock(lock: string): Promise<() => Promise<void>> {
  let isGranted = false;
  setHandler(grantedSignal, () => {
    isGranted = true;
  });
  await acquire(lock);
  await condition(() => isGranted);
  return () => getExternalWorkflowHandle(lock).signal(releaseSignal, workflowInfo().workflowId);
}
