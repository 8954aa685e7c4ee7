/** Reads drafts, task activity and boards page by page, and keeps only counts and short excerpts. */
import { type Api, type CallOptions } from '../../api/client';
import { isMissing } from '../../api/errors';
import { type Page, walkPages } from '../../api/operations/lists';
import { type ResearchSpec } from '../../contract';
import { truncate } from '../../api/json';
import { digest } from '../../platform/digest';

const LONGEST_BOARD = 1_000;

export interface Survey {
  drafts: Tally | null;
  activity: Named<Tally>[];
  boards: Named<BoardSeen>[];
  /** What the service does not know, and its message. */
  missing: Named<string>[];
}

interface BoardSeen {
  excerpt: string;
  digest: string;
}

/** Ids can be any text, `__proto__` too. */
type Named<T> = [name: string, value: T];

/** A task or board that the service does not know is listed as missing. */
export async function survey(
  api: Api,
  { drafts, activity, boards }: ResearchSpec,
  next: () => CallOptions,
): Promise<Survey> {
  const seen: Survey = { drafts: null, activity: [], boards: [], missing: [] };
  const readInto = async <T>(list: Named<T>[], id: string, what: string, read: () => Promise<T>) => {
    try {
      list.push([id, await read()]);
    } catch (error) {
      if (!isMissing(error)) throw error;
      seen.missing.push([what, error.message]);
    }
  };
  if (drafts) {
    const asked = { account_ids: drafts.accounts, search: drafts.search ?? undefined };
    seen.drafts = await tallyOf((page) => api.getDrafts({ ...asked, page }, next()));
  }
  for (const task_id of new Set(activity))
    await readInto(seen.activity, task_id, `task ${task_id}`, () =>
      tallyOf((page) => api.getTaskActivity({ task_id, page }, next())),
    );
  for (const board_id of new Set(boards))
    await readInto(seen.boards, board_id, `board ${board_id}`, async () => {
      const board = await api.getBoard({ board_id, expand: ['statuses'] }, next());
      return { excerpt: compact(board, LONGEST_BOARD), digest: digest(board) };
    });
  return seen;
}

export interface Tally {
  count: number;
  excerpt: string[];
  /** How often each verb occurs, where items have one. */
  verbs: Record<string, number>;
  /** Whether there was more than is read. */
  more: boolean;
}

const MOST_PAGES = 500;
const MOST_IN_EXCERPT = 10;
const LONGEST_ITEM = 300;
const MOST_NAMES = 50;
const LONGEST_VERB = 100;
const OTHER_NAMES = '…';

export function emptyTally(): Tally {
  return { count: 0, excerpt: [], verbs: {}, more: false };
}

async function tallyOf(getPage: (page: number) => Promise<Page>): Promise<Tally> {
  const tally = emptyTally();
  let pages = 0;
  for await (const items of walkPages(getPage)) {
    if (pages++ === MOST_PAGES) return { ...tally, more: true };
    for (const item of items) add(tally, item);
  }
  return tally;
}

function add(tally: Tally, item: unknown): void {
  tally.count += 1;
  if (tally.excerpt.length < MOST_IN_EXCERPT) tally.excerpt.push(compact(item));
  const verb = verbOf(item);
  if (verb !== undefined) tally.verbs = addCounts(tally.verbs, { [verb]: 1 });
}

/** The sum of both. After the first 50 names all others are counted as one. */
export function addCounts(
  counts: Record<string, number>,
  others: Record<string, number>,
): Record<string, number> {
  const sum = new Map(Object.entries(counts));
  for (const [name, count] of Object.entries(others)) {
    const counted = sum.has(name) || sum.size < MOST_NAMES ? name : OTHER_NAMES;
    sum.set(counted, (sum.get(counted) ?? 0) + count);
  }
  // From entries: an assignment would not make a member named `__proto__`.
  return Object.fromEntries(sum);
}

export function moreThan(
  before: Record<string, number>,
  counts: Record<string, number>,
): Record<string, number> {
  const was = new Map(Object.entries(before));
  return Object.fromEntries(
    Object.entries(counts)
      .map(([name, count]) => [name, count - (was.get(name) ?? 0)] as const)
      .filter(([, more]) => more > 0),
  );
}

/** The one field of an entry that the API's document names. */
function verbOf(item: unknown): string | undefined {
  const { verb } = (item ?? {}) as { verb?: unknown };
  return typeof verb === 'string' && verb !== '' ? truncate(verb, LONGEST_VERB) : undefined;
}

/** A short form of an item, as JSON: its fields are not published. */
function compact(item: unknown, longest = LONGEST_ITEM): string {
  return truncate(JSON.stringify(item ?? null), longest);
}
