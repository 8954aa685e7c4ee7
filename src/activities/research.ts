import { type Api } from '../api/client';
import { type ListSummary, type ResearchOrder, type ResearchSummary } from '../contract';
import { type Patience } from './failures';
import { manyReads } from './manyReads';
import { type Survey, survey } from './survey';
import { type Tally } from './tally';

/** In characters of JSON: it goes into a history and, as one change, into a project. */
const LONGEST_SUMMARY = 200_000;

/** Reads what a campaign wants to know of its workspace, condensed to counts and excerpts. */
export function createResearch(api: Api, patience: Patience) {
  return async function research({ scope, ...asked }: ResearchOrder): Promise<ResearchSummary> {
    return manyReads('research', { scope, ...patience }, async (reading) =>
      summaryOf(await survey(api, asked, reading)),
    );
  };
}

function summaryOf(seen: Survey): ResearchSummary {
  const whole = shownWith(seen, Infinity);
  if (fits(whole)) return whole;
  const remark = 'there was too much for an excerpt of everything';
  for (const most of [3, 1]) {
    const shown = shownWith(seen, most, remark);
    if (fits(shown)) return shown;
  }
  return shownWith(seen, 0, remark);
}

function fits(summary: ResearchSummary): boolean {
  return JSON.stringify(summary).length <= LONGEST_SUMMARY;
}

function shownWith(seen: Survey, most: number, ...remarks: string[]): ResearchSummary {
  const { drafts, activity, boards, missing } = seen;
  const list = ({ count, excerpt, more }: Tally): ListSummary => ({
    count,
    excerpt: excerpt.slice(0, most),
    more,
  });
  return {
    at: new Date().toISOString(),
    drafts: drafts && list(drafts),
    activity: Object.fromEntries(activity.map(([id, tally]) => [id, { ...list(tally), verbs: tally.verbs }])),
    boards: Object.fromEntries(
      boards.map(([id, { excerpt }]) => [id, { excerpt: most === 0 ? '' : excerpt }]),
    ),
    remarks: [...missing.map(([what, why]) => `${what} could not be read: ${why}`), ...remarks],
  };
}
