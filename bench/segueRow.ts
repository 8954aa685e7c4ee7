/** Items done by one batch of Segue. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Way } from './row';
import { batchOf, jobOf, segueClient } from './segueBatch';
import { CONCURRENCY, POLL_EVERY_MS } from './settings';

/** Its warm-up takes about as long as that of the hand-written workflow. */
const WARM_UP = 3_000;

export const segueBatch: Way = {
  name: 'Segue',
  warmUp: WARM_UP,
  startWorker: (stage, taskQueue, sandboxUrl) => stage.segueWorker(taskQueue, sandboxUrl),
  run: async (work, stage, taskQueue) => {
    const batch = await segueClient(stage, taskQueue).batch.start(batchOf(work));
    const { counts } = await batch.result();
    if (counts.succeeded !== work.items.length)
      throw new Error(`not all succeeded: ${JSON.stringify(counts)}`);
  },
};

/** The same through the command, which also starts a process, and reads and checks a manifest. */
export const segueCommand: Way = {
  ...segueBatch,
  name: 'Segue, by command',
  run: async ({ name, items }, stage, taskQueue) => {
    const manifest = path.join(stage.folder, `${name}.ndjson`);
    await writeFile(manifest, items.map((item) => `${JSON.stringify(jobOf(item))}\n`).join(''));
    const every = `${POLL_EVERY_MS}ms`;
    await stage.segue(
      ['batch', 'run', manifest, '--key', name, '--concurrency', String(CONCURRENCY), '--json'],
      { SEGUE_TASK_QUEUE: taskQueue, SEGUE_POLL_MIN: every, SEGUE_POLL_MAX: every },
    );
  },
};
