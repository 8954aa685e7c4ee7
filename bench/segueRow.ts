/** Items done by one batch of Segue. */
import { measureRow, type Row } from './row';
import { prepareBatch, segueClient } from './segueBatch';
import { type Shape } from './settings';
import { type BenchSandbox, type Stage } from './stage';

/** It takes about as long as that of the hand-written one. */
const WARM_UP = 3_000;

export async function segueRow(
  items: number,
  shape: Shape,
  stage: Stage,
  sandbox: BenchSandbox,
  name = 'Segue',
): Promise<Row> {
  const startWorker = (taskQueue: string) => stage.segueWorker(taskQueue, sandbox.url);
  // Made before anything is measured.
  const specs = [
    await prepareBatch(WARM_UP, sandbox.url, shape),
    await prepareBatch(items, sandbox.url, shape),
  ];
  const asked = { name, shape, items, warmUp: WARM_UP, sandbox };
  return measureRow(asked, stage, startWorker, async (taskQueue, size) => {
    const spec = specs.shift();
    if (!spec) throw new Error('no batch is prepared');
    const batch = await segueClient(stage, taskQueue).batch.start(spec);
    const { counts } = await batch.result();
    if (counts.succeeded !== size) throw new Error(`not all succeeded: ${JSON.stringify(counts)}`);
  });
}
