/** Items done by single media jobs of Segue, one run each: the same work as the hand-written workflow does. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../src/platform/parallel';
import { measureRow, type Row } from './row';
import { segueClient } from './segueBatch';
import { WORKSPACE } from './settings';
import { type BenchSandbox, control, ledgerSummary, type Stage } from './stage';

const WARM_UP = 100;
const STARTED_AT_ONCE = 50;

export async function jobsRow(items: number, stage: Stage, sandbox: BenchSandbox): Promise<Row> {
  const startWorker = (taskQueue: string) => stage.segueWorker(taskQueue, sandbox.url);
  const jobs = Array.from({ length: WARM_UP + items }, () => jobFor(sandbox.url));
  const projects = jobs.map(({ write }) => ({ ...write.project, workspace: Number(WORKSPACE), data: {} }));
  await control(sandbox.url, 'seed', { projects });
  const row = { name: 'Segue, single jobs', items, warmUp: WARM_UP };
  return measureRow(row, stage, startWorker, async (taskQueue, size) => {
    const { media } = segueClient(stage, taskQueue);
    const { notifications: before } = await ledgerSummary(sandbox.url);
    await inParallel(STARTED_AT_ONCE, jobs.splice(0, size), (job) => media.start(job));
    while ((await ledgerSummary(sandbox.url)).notifications < before + size) await sleep(100);
  });
}

function jobFor(sandboxUrl: string) {
  const key = `job-${randomUUID()}`;
  return {
    ...{ key, tool: 'remove-background' },
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
    scope: { organization: WORKSPACE },
    write: { project: { resourcetype: 'campaign', id: key }, at: '/result' },
    notify: { userId: 'u-1', workspaceId: WORKSPACE },
  };
}
