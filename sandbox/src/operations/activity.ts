import { z } from 'zod';
import { isVisible } from '../access';
import { count, defineOperation, notFound, text } from '../operation';
import { personOf, userDetails } from './people';

const DEFAULT_PAGE_SIZE = 20;

const activityPage = z
  .object({
    results: z.array(
      z.object({
        verb: z.string(),
        actor: userDetails,
        timestamp: z.string(),
        diff: z.record(z.string(), z.unknown()),
      }),
    ),
    page: z.int(),
    page_size: z.int(),
    total: z.int(),
  })
  .meta({ id: 'ActivityPage' });

export const getTaskActivity = defineOperation({
  name: 'get-task-activity',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/pm/tasks/{task_id}/activity',
  summary: "Get a page of a task's audit trail",
  invented: 'the shape of the page and of an entry, and the usual page size',
  path: z.object({ task_id: text }),
  query: z.object({ page: count.default(1), page_size: count.default(DEFAULT_PAGE_SIZE) }),
  answers: { 200: { description: 'Entries, the newest first.', schema: activityPage } },
  handle({ path: { task_id }, query: { page, page_size }, caller }, { state }) {
    const task = state.boardTasks.get(task_id);
    if (!task || !isVisible(task, caller)) return notFound('task');
    const newestFirst = task.activity.toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));
    const results = newestFirst
      .slice((page - 1) * page_size, page * page_size)
      .map((entry) => ({ ...entry, actor: personOf(entry.actor, state) }));
    return { status: 200, body: { results, page, page_size, total: task.activity.length } };
  },
});
