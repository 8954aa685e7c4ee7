/** The same calls without Temporal: a script that loses its state when it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_KEY } from '@segue/sandbox';
import { type Activities, createActivities } from './handWritten/activities';
import { CONCURRENCY, POLL_EVERY_MS } from './settings';
import { type Stage } from './stage';
import { prepareWork, type Work, type WorkItem } from './work';

export interface PlainScript {
  items: number;
  polls: number;
  perSecond: number;
  cpuMs: number;
}

/** Only with a project for each item: it would lose results in shared projects. */
export async function measurePlainScript(items: number, polls: number, stage: Stage): Promise<PlainScript> {
  stage.say(`plain script, ${items} items …`);
  const sandbox = await stage.sandbox(polls);
  try {
    const calls = createActivities(sandbox.url, SANDBOX_KEY);
    const [warmUp, work] = [
      await prepareWork(Math.min(items, CONCURRENCY), 'each', sandbox.url),
      await prepareWork(items, 'each', sandbox.url),
    ];
    await runPlainly(warmUp, calls);
    const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
    await runPlainly(work, calls);
    const seconds = (performance.now() - began) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { items, polls, perSecond: items / seconds, cpuMs: (user + system) / 1_000 / items };
  } finally {
    await sandbox.stop();
  }
}

async function runPlainly({ items }: Work, calls: Activities): Promise<void> {
  const left = items.values();
  const lanes = Array.from({ length: Math.min(CONCURRENCY, items.length) }, async () => {
    for (const item of left) await mediaPlainly(item, calls);
  });
  await Promise.all(lanes);
}

async function mediaPlainly(
  { key, request, project, field, notice }: WorkItem,
  { submit, poll, readProject, patchProject, notify }: Activities,
): Promise<void> {
  const taskId = await submit(request);
  let task: Awaited<ReturnType<typeof poll>> = { status: 'PENDING' };
  while (task.status !== 'SUCCESS') {
    await sleep(POLL_EVERY_MS);
    task = await poll(taskId);
  }
  const { data } = await readProject(project);
  await patchProject(project, { ...data, [field]: { key, taskId, info: task.info } });
  await notify({ ...notice, title: 'Your media job is done', message: `${key} is finished.` });
}
