/** Lists that come page by page. How a page looks is not published. */
import { z } from 'zod';
import { fillPath, MissingSetting, type Operation, opaqueId, pageNumber, text } from '../operation';
import { valueAt } from '../json';

const page = z.object({ items: z.array(z.unknown()) });

export type Page = z.infer<typeof page>;

const draftsRequest = z.strictObject({
  account_ids: z.array(z.string().trim().min(1, 'must not be empty')).min(1, 'must name an account'),
  page: pageNumber.optional(),
  per_page: pageNumber.optional(),
  search: text.optional(),
  tz: text.optional(),
  order_by: text.optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

export const getDrafts: Operation<z.infer<typeof draftsRequest>, Page> = {
  name: 'list drafts',
  request: draftsRequest,
  toHttp: ({ account_ids, ...query }) => ({
    method: 'GET',
    path: '/api/v1/service/social-media/get-drafts',
    query: { account_ids: account_ids.join(','), ...query },
  }),
  read: ({ body }, { draftsAt }) => findList(body, draftsAt, 'SEGUE_DRAFTS_AT'),
  response: page,
};

const activityRequest = z.strictObject({
  task_id: opaqueId,
  page: pageNumber.optional(),
  page_size: pageNumber.optional(),
});

export const getTaskActivity: Operation<z.infer<typeof activityRequest>, Page> = {
  name: 'get task activity',
  request: activityRequest,
  toHttp: ({ task_id, ...query }) => ({
    method: 'GET',
    path: fillPath('/api/v1/pm/tasks/{task_id}/activity', { task_id }),
    query,
  }),
  read: ({ body }, { activityAt }) => findList(body, activityAt, 'SEGUE_ACTIVITY_AT'),
  response: page,
};

/** The list is where the setting says, else the body itself, else its only array field. */
function findList(body: unknown, pointer: string | undefined, setting: string): { items: unknown } {
  if (pointer !== undefined) {
    const items = valueAt(body, pointer);
    if (!Array.isArray(items)) throw new MissingSetting(setting, `there is no list at ${setting}=${pointer}`);
    return { items };
  }
  if (Array.isArray(body)) return { items: body };
  const lists = Object.entries(body ?? {}).filter(([, value]) => Array.isArray(value));
  if (lists.length === 1) return { items: lists[0]?.[1] };
  const found =
    lists.length === 0 ? 'no field is a list' : `several are: ${lists.map(([name]) => name).join(', ')}`;
  throw new MissingSetting(setting, `cannot find the list in the page (${found})`);
}

/**
 * Walks a list page by page until one is empty or was there before. A short page is not the end: how long pages
 * are, and what the service does past the last one, is not published.
 */
export async function* walkPages(
  getPage: (page: number) => Promise<Page>,
  first = 1,
): AsyncGenerator<unknown[], void, undefined> {
  const seen = new Set<string>();
  for (let number = first; ; number++) {
    const { items } = await getPage(number);
    const content = JSON.stringify(items);
    if (items.length === 0 || seen.has(content)) return;
    seen.add(content);
    yield items;
  }
}
