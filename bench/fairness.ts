/** How long a single job takes, alone and beside a batch. */
import { randomUUID } from 'node:crypto';
import { terminateOpenRuns } from './runs';
import { batchOf, segueClient } from './segueBatch';
import { type Stage } from './stage';
import { prepareWork } from './work';

const JOBS = 5;

interface Median {
  jobs: number;
  ms: number;
}

export interface Fairness {
  items: number;
  alone: Median;
  beside: Median;
}

export async function measureFairness(items: number, polls: number, stage: Stage): Promise<Fairness> {
  const taskQueue = `bench-${randomUUID()}`;
  const sandbox = await stage.sandbox(polls);
  const worker = await stage.segueWorker(taskQueue, sandbox.url);
  try {
    const { media, batch } = segueClient(stage, taskQueue);
    const waitForOne = async (): Promise<number> => {
      const began = performance.now();
      const request = { image_url: `${sandbox.url}/samples/mug.png` };
      await media.run({ key: `one-${randomUUID()}`, tool: 'remove-background', request });
      return performance.now() - began;
    };
    // The first job loads code, so it is not measured.
    await waitForOne();
    stage.say(`fairness: ${JOBS} jobs alone …`);
    const alone = await medianOf(JOBS, waitForOne);
    stage.say(`fairness: beside ${items} items …`);
    const running = await batch.start(batchOf(await prepareWork(items, 'each', sandbox.url)));
    const beside = await medianOf(JOBS, async () => {
      const ms = await waitForOne();
      const { stage: at } = await running.status();
      return at === 'running' ? ms : undefined;
    });
    await running.result();
    return { items, alone, beside };
  } finally {
    await worker.stop();
    await terminateOpenRuns(stage.client, taskQueue);
    await sandbox.stop();
  }
}

/** The median of at most `most` values; the first undefined value ends the measurement. */
async function medianOf(most: number, measure: () => Promise<number | undefined>): Promise<Median> {
  const values: number[] = [];
  while (values.length < most) {
    const value = await measure();
    if (value === undefined) break;
    values.push(value);
  }
  const sorted = values.sort((one, other) => one - other);
  return { jobs: sorted.length, ms: sorted[Math.floor(sorted.length / 2)] ?? NaN };
}
