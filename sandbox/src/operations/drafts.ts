import { z } from 'zod';
import { isVisible } from '../access';
import { count, defineOperation } from '../operation';
import { type Seed } from '../seed';

const ORDERS = ['created_at', 'updated_at', 'content'] as const;

const timezone = z
  .string()
  .refine(isTimezone, { error: 'must be the name of a timezone, like Europe/Berlin' })
  .meta({ format: 'timezone' });

const accounts = z
  .string()
  .transform((ids) => ids.split(',').map((id) => id.trim()))
  .pipe(z.array(z.string().min(1, 'must be account ids, separated by commas')))
  .meta({ override: { type: 'string', pattern: '^[^,\\s]+(,[^,\\s]+)*$' } });

const draftBody = z.object({
  id: z.string(),
  account_id: z.string(),
  content: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

const draftPage = z
  .object({
    drafts: z.array(draftBody),
    pagination: z.object({
      page: z.int(),
      per_page: z.int(),
      total: z.int(),
      total_pages: z.int(),
    }),
  })
  .meta({ id: 'DraftPage' });

export const listDrafts = defineOperation({
  name: 'list-drafts',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/service/social-media/get-drafts',
  summary: 'List draft social posts of the given accounts',
  invented: 'the shape of the page and of a draft, what can be sorted by, and that times are given in `tz`',
  query: z.object({
    account_ids: accounts,
    page: count.default(1),
    per_page: count.default(10),
    search: z.string().optional(),
    tz: timezone.optional(),
    order_by: z.enum(ORDERS).default('created_at'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  answers: { 200: { description: 'A page of drafts.', schema: draftPage } },
  handle({ query, caller }, { state }) {
    const { account_ids, page, per_page, search = '', tz, order_by, order } = query;
    const sign = order === 'asc' ? 1 : -1;
    const found = [...state.drafts.values()]
      .filter((draft) => isVisible(draft, caller) && account_ids.includes(draft.account_id))
      .filter(({ content }) => content.toLowerCase().includes(search.toLowerCase()))
      .sort((a, b) => sign * compare(rank(a, order_by), rank(b, order_by)));
    const drafts = found.slice((page - 1) * per_page, page * per_page).map((draft) => draftIn(draft, tz));
    const pagination = {
      page,
      per_page,
      total: found.length,
      total_pages: Math.ceil(found.length / per_page),
    };
    return { status: 200, body: { drafts, pagination } };
  },
});

type Draft = Seed['drafts'][number];

function draftIn({ workspace, ...draft }: Draft, tz?: string): z.infer<typeof draftBody> {
  if (tz === undefined) return draft;
  return { ...draft, created_at: inZone(draft.created_at, tz), updated_at: inZone(draft.updated_at, tz) };
}

/** What a draft is sorted by: moments, however their offsets are written, or its content. */
function rank(draft: Draft, field: (typeof ORDERS)[number]): string | number {
  return field === 'content' ? draft.content : Date.parse(draft[field]);
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same moment, as the clocks of a timezone show it. */
function inZone(time: string, timeZone: string): string {
  const moment = new Date(time);
  const local = moment.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T');
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(moment);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '') ?? '';
  return `${local}${offset || 'Z'}`;
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
