/** What campaigns need to know before they pay, and of their workspace. */
import { getClient } from '@temporalio/activity';
import { type Api } from '../api/client';
import { InvalidRequestError, isMissing } from '../api/errors';
import { type WorkspaceContext } from '../api/operations/workspace';
import { bytesOf, truncate, valueAt } from '../api/json';
import { type CampaignActivities, type ListSummary, type ResearchSummary } from '../contract';
import { campaignWorkflowId, LONGEST_KEY } from '../contract/ids';
import { inParallel } from '../platform/parallel';
import { findMediaProblems, validateMediaRequest } from '../runs/campaign';
import { findOwnRun, isOpen } from '../runs/find';
import { problemText } from '../validation/campaign';
import { callOptions, manyReads } from './lib/calls';
import { clockOf } from './clock';
import { type AuthGrace, patientFailure } from './lib/failures';
import { type Survey, survey, type Tally } from './lib/survey';

const AT_ONCE = 5;

export function createPrepareCampaign(api: Api, patience: AuthGrace): CampaignActivities['prepareCampaign'] {
  return ({ scope, media, voices, boards }) =>
    manyReads('prepareCampaign', { scope, ...patience }, async (next) => {
      let context: WorkspaceContext;
      try {
        context = await api.getWorkspace({}, next());
      } catch (error) {
        if (!isMissing(error)) throw error;
        return { problems: [`workspace: ${error.message}`], clock: clockOf({}) };
      }
      const missing = [
        await inParallel(AT_ONCE, [...new Set(voices)], (voice_id) =>
          problemOf(`voice ${voice_id}`, () => api.getVoice({ voice_id }, next())),
        ),
        await inParallel(AT_ONCE, [...new Set(boards)], (board_id) =>
          problemOf(`board ${board_id}`, () => api.getBoard({ board_id }, next())),
        ),
      ];
      return {
        problems: [
          ...validateWorkspace(context),
          ...missing.flat(2),
          // Checked here too, because other languages start campaigns without Segue's client.
          ...findMediaProblems({ media }).map(problemText),
        ],
        clock: clockOf(context),
      };
    });
}

/** Why something cannot be used. Errors that may pass are thrown. */
async function problemOf(what: string, read: () => Promise<unknown>): Promise<string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    if (!isMissing(error) && !(error instanceof InvalidRequestError)) throw error;
    const why = isMissing(error) ? 'is not there, or not for this workspace' : 'cannot be asked for';
    return [`${truncate(what, 200)}: ${why} (${error.message})`];
  }
}

/** A workspace is inactive only when it says so: every field may be missing. */
function validateWorkspace({ workspace }: WorkspaceContext): string[] {
  if (workspace?.is_active !== false) return [];
  const name = workspace.name ?? workspace.slug ?? workspace.id ?? 'of this credential';
  return [`workspace ${truncate(String(name), 200)}: is not active`];
}

/** An activity, because the table of tools is no part of the workflow bundle. It sends no request. */
export const checkMedia: CampaignActivities['checkMedia'] = ({ tool, request }) =>
  Promise.resolve(validateMediaRequest(tool, request));

/** Finds another running campaign that keeps its state at the same path of the project. */
export function createReadPlace(api: Api, patience: AuthGrace): CampaignActivities['readPlace'] {
  return async ({ scope, project: { resourcetype, id }, at, key }) => {
    try {
      const { data } = await api.getProject({ resourcetype, id }, callOptions('readPlace', { scope }));
      const other = campaignAt(data, at);
      return other !== undefined && other !== key && (await isRunning(other)) ? other : null;
    } catch (error) {
      // The write to a missing project reports it.
      if (isMissing(error)) return null;
      throw patientFailure(error, patience);
    }
  };
}

/** The key of the campaign that keeps its state at this path, running or not. */
export function campaignAt(data: unknown, at: string): string | undefined {
  const key = valueAt(data, `${at}/configuration/key`);
  return typeof key === 'string' && key.length <= LONGEST_KEY ? key : undefined;
}

/** Asks the Temporal server: the state of a terminated campaign stays in the project. */
export async function isRunning(campaign: string): Promise<boolean> {
  const run = await findOwnRun(getClient(), campaignWorkflowId(campaign));
  return run !== undefined && isOpen(run);
}

/** As JSON: the summary goes into histories and, as one change, into a project. */
const LARGEST_SUMMARY_BYTES = 200_000;
const LONGEST_REMARK = 300;

export function createResearch(api: Api, patience: AuthGrace): CampaignActivities['research'] {
  return ({ scope, ...asked }) =>
    manyReads('research', { scope, ...patience }, async (next) => summaryOf(await survey(api, asked, next)));
}

/** Where the whole is too large, counts alone are kept: their number is bounded by what may be asked for. */
function summaryOf(seen: Survey): ResearchSummary {
  const whole = summaryWith(seen, true);
  if (bytesOf(whole) <= LARGEST_SUMMARY_BYTES) return whole;
  const { remarks, ...counts } = summaryWith(seen, false);
  return { ...counts, remarks: [...remarks, 'there was too much for an excerpt of everything'] };
}

function summaryWith({ drafts, activity, boards, missing }: Survey, details: boolean): ResearchSummary {
  const list = ({ count, excerpt, more }: Tally): ListSummary => ({
    count,
    excerpt: details ? excerpt : [],
    more,
  });
  return {
    at: new Date().toISOString(),
    drafts: drafts && list(drafts),
    activity: Object.fromEntries(
      activity.map(([id, tally]) => [id, { ...list(tally), verbs: details ? tally.verbs : {} }]),
    ),
    boards: Object.fromEntries(boards.map(([id, { excerpt }]) => [id, { excerpt: details ? excerpt : '' }])),
    remarks: missing.map(([what, why]) => truncate(`${what} could not be read: ${why}`, LONGEST_REMARK)),
  };
}
