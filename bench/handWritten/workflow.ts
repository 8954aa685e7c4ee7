/**
 * One run for each item, as a team writes it by hand: an activity for every HTTP call, a timer before every poll, and a
 * lock where runs share a project. It keeps none of Segue's promises: a POST that times out is sent again.
 */
import {
  condition,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { type Activities, type Project } from './activities';
import { grantedSignal, releaseSignal } from './lock';

export { projectLock } from './lock';

const { submit, poll, readProject, patchProject, acquireLock, notify } = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 5 },
});

export interface Item {
  key: string;
  request: object;
  pollEveryMs: number;
  project: Project;
  /** The field of the project's data that gets the result. */
  field: string;
  notice: { userId: string; workspaceId: string };
  /** The workflow id of the project's lock, where runs share a project. */
  lock?: string;
}

export async function mediaByHand({ key, request, pollEveryMs, project, field, notice, lock }: Item) {
  const taskId = await submit(request);
  let task: Awaited<ReturnType<typeof poll>> = { status: 'PENDING' };
  while (task.status !== 'SUCCESS' && task.status !== 'FAILURE') {
    await sleep(pollEveryMs);
    task = await poll(taskId);
  }
  const write = async (): Promise<void> => {
    const { data } = await readProject(project);
    await patchProject(project, { ...data, [field]: { key, taskId, info: task.info } });
  };
  await (lock === undefined ? write() : withLock(lock, write));
  await notify({ ...notice, title: 'Your media job is done', message: `${key} is finished.` });
  return { taskId, info: task.info };
}

async function withLock(lock: string, write: () => Promise<void>): Promise<void> {
  let isGranted = false;
  setHandler(grantedSignal, () => {
    isGranted = true;
  });
  await acquireLock(lock);
  await condition(() => isGranted);
  await write();
  await getExternalWorkflowHandle(lock).signal(releaseSignal);
}
