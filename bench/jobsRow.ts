/** Items done by single media jobs of Segue, one run each: the same work as the hand-written workflow does. */
import { inParallel } from '../src/platform/parallel';
import { notified, type Way } from './row';
import { jobOf, segueClient } from './segueBatch';
import { STARTS_AT_ONCE } from './settings';

export const singleJobs: Way = {
  name: 'Segue, single jobs',
  warmUp: 100,
  startWorker: (stage, taskQueue, sandboxUrl) => stage.segueWorker(taskQueue, sandboxUrl),
  run: ({ items }, stage, taskQueue, sandboxUrl) => {
    const { media } = segueClient(stage, taskQueue);
    return notified(sandboxUrl, items.length, () =>
      inParallel(STARTS_AT_ONCE, items, (item) => media.start(jobOf(item))),
    );
  },
};
