/** Items done by the hand-written workflow, one run each. */
import { inParallel } from '../src/platform/parallel';
import { type Item } from './handWritten/workflow';
import { notified, type Way } from './row';
import { POLL_EVERY_MS, STARTS_AT_ONCE } from './settings';

export const handWritten: Way = {
  name: 'hand-written',
  warmUp: 100,
  startWorker: (stage, taskQueue, sandboxUrl) => stage.handWrittenWorker(taskQueue, sandboxUrl),
  run: ({ items, projects }, { client }, taskQueue, sandboxUrl) =>
    notified(sandboxUrl, items.length, () =>
      inParallel(STARTS_AT_ONCE, items, ({ key, request, project, field, notice }) => {
        // Runs that share a project would overwrite each other's results without a lock.
        const lock = projects.length < items.length ? `lock-${project.id}` : undefined;
        const input: Item = { key, request, project, field, notice, pollEveryMs: POLL_EVERY_MS, lock };
        return client.workflow.start('mediaByHand', { taskQueue, workflowId: key, args: [input] });
      }),
    ),
};
