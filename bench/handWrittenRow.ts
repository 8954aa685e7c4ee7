/** Items done by the hand-written workflow, one run each. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../src/platform/parallel';
import { type Item } from './handWritten/workflow';
import { measureRow, type Row } from './row';
import { POLL_EVERY_MS, type Shape, SHAPES, WORKSPACE } from './settings';
import { type BenchSandbox, ledgerSummary, seedProjects, type Stage } from './stage';

const WARM_UP = 100;
const STARTED_AT_ONCE = 50;

export async function handWrittenRow(
  items: number,
  shape: Shape,
  stage: Stage,
  sandbox: BenchSandbox,
): Promise<Row> {
  const startWorker = (taskQueue: string) => stage.handWrittenWorker(taskQueue, sandbox.url);
  const inputs = [...inputsFor(WARM_UP, shape, sandbox.url), ...inputsFor(items, shape, sandbox.url)];
  await seedProjects(sandbox.url, [...new Map(inputs.map(({ project }) => [project.id, project])).values()]);
  const asked = { name: 'hand-written', shape, items, warmUp: WARM_UP, sandbox };
  return measureRow(asked, stage, startWorker, async (taskQueue, size) => {
    const { notifications: before } = await ledgerSummary(sandbox.url);
    await inParallel(STARTED_AT_ONCE, inputs.splice(0, size), (input) =>
      stage.client.workflow.start('mediaByHand', { taskQueue, workflowId: input.key, args: [input] }),
    );
    // Nobody waits for each run: that would cost the server more.
    while ((await ledgerSummary(sandbox.url)).notifications < before + size) await sleep(100);
  });
}

/** Where items share a project, a lock makes them write one after the other: otherwise they would lose keys. */
function inputsFor(count: number, shape: Shape, sandboxUrl: string): Item[] {
  const name = `by-hand-${randomUUID()}`;
  return Array.from({ length: count }, (_unused, n) => {
    const project = {
      resourcetype: 'campaign',
      id: `${name}-${Math.floor(n / Math.min(SHAPES[shape], count))}`,
    };
    return {
      ...{ key: `${name}-item-${n}`, pollEveryMs: POLL_EVERY_MS, project, at: `item-${n}` },
      request: { image_url: `${sandboxUrl}/samples/mug.png` },
      notice: { userId: 'u-1', workspaceId: WORKSPACE },
      lock: shape === 'each' ? undefined : `lock-${project.id}`,
    };
  });
}
