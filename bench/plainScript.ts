/** The same calls without Temporal: a script that forgets everything when it is stopped. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_KEY } from '@segue/sandbox';
import { createActivities } from './handWritten/activities';
import { CONCURRENCY, POLL_EVERY_MS, WORKSPACE } from './settings';
import { type BenchSandbox, seedProjects, type Stage } from './stage';

export interface PlainRow {
  items: number;
  perSecond: number;
}

/** With a project each. */
export async function plainScriptRow(items: number, stage: Stage, sandbox: BenchSandbox): Promise<PlainRow> {
  stage.say(`plain script, ${items} items …`);
  const calls = createActivities(sandbox.url, SANDBOX_KEY);
  const name = `plain-${randomUUID()}`;
  const projects = Array.from({ length: items }, (_unused, n) => ({
    resourcetype: 'campaign',
    id: `${name}-${n}`,
  }));
  await seedProjects(sandbox.url, projects);
  const began = performance.now();
  const left = projects.entries();
  const lanes = Array.from({ length: Math.min(CONCURRENCY, items) }, async () => {
    for (const [n, project] of left) {
      const taskId = await calls.submit({ image_url: `${sandbox.url}/samples/mug.png` });
      let status = '';
      while (status !== 'SUCCESS') {
        await sleep(POLL_EVERY_MS);
        ({ status } = await calls.poll(taskId));
      }
      const { data } = await calls.readProject(project);
      await calls.patchProject(project, { ...data, result: { taskId } });
      const notice = { userId: 'u-1', workspaceId: WORKSPACE };
      await calls.notify({
        ...notice,
        title: 'Your media job is done',
        message: `${name}-${n} is finished.`,
      });
    }
  });
  await Promise.all(lanes);
  return { items, perSecond: items / ((performance.now() - began) / 1_000) };
}
