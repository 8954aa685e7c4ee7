/** What the service has of drafts, task activity and boards, read list by list and condensed on the way. */
import { activityInfo } from '@temporalio/activity';
import { type Api } from '../api/client';
import { isMissing } from '../api/errors';
import { type ResearchSpec } from '../contract';
import { digest } from '../platform/digest';
import { type Reading } from './manyReads';
import { compact, emptyTally, readOn, type Tally } from './tally';

const LONGEST_BOARD = 1_000;
/** In characters of JSON; more is not handed to the next attempt, which then begins anew. */
const LONGEST_HANDED_OVER = 200_000;

export interface Survey {
  drafts: Tally | null;
  activity: Named<Tally>[];
  boards: Named<BoardSeen>[];
  /** What the service does not know, and its words. */
  missing: Named<string>[];
}

export interface BoardSeen {
  excerpt: string;
  digest: string;
}

/** Ids can be any text, `__proto__` too. */
export type Named<T> = [name: string, value: T];

/** Goes on where an attempt before this one stopped. What the service does not know is told, and no reason to stop. */
export async function survey(
  api: Api,
  { drafts, activity, boards }: ResearchSpec,
  { next, note }: Reading,
): Promise<Survey> {
  const seen = handedOver() ?? { drafts: null, activity: [], boards: [], missing: [] };
  const onPage = (): void => {
    note(JSON.stringify(seen).length <= LONGEST_HANDED_OVER ? seen : undefined);
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

function handedOver(): Survey | undefined {
  return activityInfo().heartbeatDetails as Survey | undefined;
}
