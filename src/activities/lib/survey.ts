/** Reads drafts, task activity and boards page by page, and keeps only counts and short excerpts. */
import { activityInfo } from '@temporalio/activity';
import { type Api } from '../../api/client';
import { isMissing } from '../../api/errors';
import { type Page, walkPages } from '../../api/operations/lists';
import { type ResearchSpec } from '../../contract';
import { truncate } from '../../api/json';
import { digest } from '../../platform/digest';
import { type Reading } from '../calls';

const LONGEST_BOARD = 1_000;
/** In characters of JSON. Longer progress is not kept for the next attempt, which then begins anew. */
const LONGEST_PROGRESS = 200_000;

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

/** Goes on where an earlier attempt stopped. A task or board that the service does not know is listed as missing. */
export async function survey(
  api: Api,
  { drafts, activity, boards }: ResearchSpec,
  { next, record }: Reading,
): Promise<Survey> {
  const seen = (activityInfo().heartbeatDetails as Survey | undefined) ?? {
    drafts: null,
    activity: [],
    boards: [],
    missing: [],
  };
  const onPage = (): void => {
    record(JSON.stringify(seen).length <= LONGEST_PROGRESS ? seen : undefined);
  };
  if (drafts) {
    const asked = { account_ids: drafts.accounts, search: drafts.search ?? undefined };
    seen.drafts ??= emptyTally();
    await readOn(seen.drafts, (page) => api.getDrafts({ ...asked, page }, next()), onPage);
  }
  for (const task_id of new Set(activity)) {
    await unlessMissing(seen, `task ${task_id}`, () =>
      readOn(
        findOrAdd(seen.activity, task_id, emptyTally),
        (page) => api.getTaskActivity({ task_id, page }, next()),
        onPage,
      ),
    );
  }
  for (const board_id of new Set(boards)) {
    if (seen.boards.some(([id]) => id === board_id)) continue;
    await unlessMissing(seen, `board ${board_id}`, async () => {
      const board = await api.getBoard({ board_id, expand: ['statuses'] }, next());
      seen.boards.push([board_id, { excerpt: compact(board, LONGEST_BOARD), digest: digest(board) }]);
    });
    onPage();
  }
  const isKnown = (what: string): boolean => !seen.missing.some(([name]) => name === what);
  return { ...seen, activity: seen.activity.filter(([id]) => isKnown(`task ${id}`)) };
}

async function unlessMissing({ missing }: Survey, what: string, read: () => Promise<void>): Promise<void> {
  if (missing.some(([name]) => name === what)) return;
  try {
    await read();
  } catch (error) {
    if (!isMissing(error)) throw error;
    missing.push([what, error.message]);
  }
}

function findOrAdd<T>(list: Named<T>[], name: string, make: () => T): T {
  const found = list.find(([known]) => known === name);
  if (found) return found[1];
  const made = make();
  list.push([name, made]);
  return made;
}

/** What is kept of one list. */
export interface Tally {
  count: number;
  excerpt: string[];
  /** How often each verb occurs, where items have one. */
  verbs: Record<string, number>;
  /** Whether there was more than is read. */
  more: boolean;
  /** How many pages were read, and the digest of the last one: the next attempt goes on after it. */
  pages: number;
  last: string;
  over: boolean;
}

const MOST_PAGES = 500;
const MOST_IN_EXCERPT = 10;
const LONGEST_ITEM = 300;
const MOST_NAMES = 50;
const LONGEST_VERB = 100;
const OTHER_NAMES = '…';

export function emptyTally(): Tally {
  return { count: 0, excerpt: [], verbs: {}, more: false, pages: 0, last: '', over: false };
}

/** Reads on until the list ends. */
async function readOn(
  tally: Tally,
  getPage: (page: number) => Promise<Page>,
  onPage: () => void,
): Promise<void> {
  if (tally.over) return;
  const seenLast = tally.last;
  for await (const items of walkPages(getPage, tally.pages + 1)) {
    const page = digest(items);
    // Some services return their last page for every later page number.
    if (page === seenLast) break;
    if (tally.pages === MOST_PAGES) {
      tally.more = true;
      break;
    }
    for (const item of items) add(tally, item);
    tally.pages += 1;
    tally.last = page;
    onPage();
  }
  tally.over = true;
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

/** By how much each count has grown. */
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
