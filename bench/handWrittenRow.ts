/** Items done by the hand-written workflow, one run each. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../src/platform/parallel';
import { type Item } from './handWritten/workflow';
import { measureRow, type Row } from './row';
import { POLL_EVERY_MS, WORKSPACE } from './settings';
import { type BenchSandbox, control, ledgerSummary, type Stage } from './stage';

const WARM_UP = 100;
const STARTED_AT_ONCE = 50;

export async function handWrittenRow(items: number, stage: Stage, sandbox: BenchSandbox): Promise<Row> {
  const startWorker = (taskQueue: string) => stage.handWrittenWorker(taskQueue, sandbox.url);
  const inputs = Array.from({ length: WARM_UP + items }, () => inputFor(sandbox.url));
  const projects = inputs.map(({ project }) => ({ ...project, workspace: Number(WORKSPACE), data: {} }));
  await control(sandbox.url, 'seed', { projects });
  const row = { name: 'hand-written', items, warmUp: WARM_UP };
  return measureRow(row, stage, startWorker, async (taskQueue, size) => {
    const { notifications: before } = await ledgerSummary(sandbox.url);
    await inParallel(STARTED_AT_ONCE, inputs.splice(0, size), (input) =>
      stage.client.workflow.start('mediaByHand', { taskQueue, workflowId: input.key, args: [input] }),
    );
    // Nobody waits for each run: that would cost the server more.
    while ((await ledgerSummary(sandbox.url)).notifications < before + size) await sleep(100);
  });
}

function inputFor(sandboxUrl: string): Item {
  const key = `by-hand-${randomUUID()}`;
  return {
    ...{ key, pollEveryMs: POLL_EVERY_MS },
    request: { image_url: `${sandboxUrl}/samples/mug.png` },
    ...{ project: { resourcetype: 'campaign', id: key }, at: 'result' },
    notice: { userId: 'u-1', workspaceId: WORKSPACE },
  };
}
