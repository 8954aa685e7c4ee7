import { type Api } from '../api/client';
import { type ListSummary, type ResearchOrder, type ResearchSummary } from '../contract';
import { type Patience } from './failures';
import { manyReads } from './manyReads';
import { type Survey, survey } from './survey';
import { cut, type Tally } from './tally';

/** As JSON: it goes into a history, from run to run and, as one change, into a project. */
const LARGEST_SUMMARY_BYTES = 200_000;
const MOST_REMARKS = 50;
const LONGEST_REMARK = 300;

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
  for (const most of [3, 1, 0]) {
    const shown = shownWith(seen, most, remark);
    if (fits(shown)) return shown;
  }
  return withoutVerbs(shownWith(seen, 0, remark));
}

/** What is left is bounded by the number of what may be asked for. */
function withoutVerbs(summary: ResearchSummary): ResearchSummary {
  const activity = Object.entries(summary.activity).map(([id, list]) => [id, { ...list, verbs: {} }]);
  return { ...summary, activity: Object.fromEntries(activity) as ResearchSummary['activity'] };
}

function fits(summary: ResearchSummary): boolean {
  return Buffer.byteLength(JSON.stringify(summary)) <= LARGEST_SUMMARY_BYTES;
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
    remarks: [...remarksOn(missing), ...remarks],
  };
}

function remarksOn(missing: Survey['missing']): string[] {
  const all = missing.map(([what, why]) => cut(`${what} could not be read: ${why}`, LONGEST_REMARK));
  const rest = all.length - MOST_REMARKS;
  return rest > 0 ? [...all.slice(0, MOST_REMARKS), `and ${rest} more could not be read`] : all;
}
