/** A list that is read page by page and condensed on the way: nothing of it stays but counts and a short excerpt. */
import { createHash } from 'node:crypto';
import { type Page, walkPages } from '../api/operations/lists';

export interface Tally {
  count: number;
  excerpt: string[];
  /** How often each verb occurs, where items have one. */
  verbs: Record<string, number>;
  /** Whether there was more than is read. */
  more: boolean;
  /** How many pages were read, and what the last one was: a reading that was cut off goes on after it. */
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
export async function readOn(
  tally: Tally,
  getPage: (page: number) => Promise<Page>,
  onPage: () => void,
): Promise<void> {
  if (tally.over) return;
  const seenLast = tally.last;
  for await (const items of walkPages(getPage, tally.pages + 1)) {
    const page = digestOf(items);
    // Of a service that gives its last page for every number after it.
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
  if (verb === undefined) return;
  tally.verbs = addCounts(tally.verbs, { [verb]: 1 });
}

/** Both together. Names that are too many to be told apart are counted as one. */
export function addCounts(
  counts: Record<string, number>,
  others: Record<string, number>,
): Record<string, number> {
  const sum = new Map(Object.entries(counts));
  for (const [name, count] of Object.entries(others)) {
    const counted = sum.has(name) || sum.size < MOST_NAMES ? name : OTHER_NAMES;
    sum.set(counted, (sum.get(counted) ?? 0) + count);
  }
  // From entries, since an assignment would not make a member of every name.
  return Object.fromEntries(sum);
}

/** By how much each is more than it was. */
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

/** The one field of an entry that the document names. */
function verbOf(item: unknown): string | undefined {
  const { verb } = (item ?? {}) as { verb?: unknown };
  return typeof verb === 'string' && verb !== '' ? cut(verb, LONGEST_VERB) : undefined;
}

/** An item in few words: its fields are not published, so it is shown as it comes. */
export function compact(item: unknown, longest = LONGEST_ITEM): string {
  return cut(JSON.stringify(item ?? null), longest);
}

export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Half a character is none, and not every database takes it.
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex')
    .slice(0, 16);
}
