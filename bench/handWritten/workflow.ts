/**
 * One run for each item, as a team writes it by hand: an activity for every HTTP call, a timer before every poll. It
 * keeps none of Segue's promises: a POST that times out is sent again, and two of these overwrite each other's project.
 */
import { proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities, type Project } from './activities';

const { submit, poll, readProject, patchProject, notify } = proxyActivities<Activities>({
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
}

export async function mediaByHand({ key, request, pollEveryMs, project, at, notice }: Item) {
  const taskId = await submit(request);
  let task: Awaited<ReturnType<typeof poll>> = { status: 'PENDING' };
  while (task.status !== 'SUCCESS' && task.status !== 'FAILURE') {
    await sleep(pollEveryMs);
    task = await poll(taskId);
  }
  const { data } = await readProject(project);
  await patchProject(project, { ...data, [at]: { key, taskId, info: task.info } });
  await notify({ ...notice, title: 'Your media job is done', message: `${key} is finished.` });
  return { taskId, info: task.info };
}
