import { type Api } from '../api/client';
import { InvalidRequestError, isMissing, shorten } from '../api/errors';
import { type WorkspaceContext } from '../api/operations/workspace';
import { findRequestProblems } from '../runs/campaignRequests';
import { problemText } from '../validation/campaign';
import { type Preparation, type PrepareOrder, type Scope } from '../contract';
import { inParallel } from '../platform/parallel';
import { type Patience } from './failures';
import { manyReads } from './manyReads';
import { clockOf } from './workspaceClock';

const AT_ONCE = 5;

/** Looks whether everything is there that a campaign needs, before anything is paid for. */
export function createPrepareCampaign(api: Api, patience: Patience) {
  return async function prepareCampaign({
    scope,
    media,
    voices,
    boards,
  }: PrepareOrder): Promise<Preparation> {
    return manyReads('prepareCampaign', { scope, ...patience }, async ({ next }) => {
      let context: WorkspaceContext;
      try {
        context = await api.getWorkspace({}, next());
      } catch (error) {
        if (!isMissing(error)) throw error;
        // Nothing else can be found then.
        return { problems: [`workspace: ${error.message}`], remarks: [], clock: clockOf({}) };
      }
      const needed = [
        ...unique(voices).map((id) => ({
          what: `voice ${id}`,
          read: (): Promise<unknown> => api.getVoice({ voice_id: id }, next()),
        })),
        ...unique(boards).map((id) => ({
          what: `board ${id}`,
          read: (): Promise<unknown> => api.getBoard({ board_id: id }, next()),
        })),
      ];
      const missing = await inParallel(AT_ONCE, needed, ({ what, read }) => problemOf(what, read));
      return {
        problems: [...problemsOfWorkspace(context), ...missing.flat(), ...problemsOfMedia(media)],
        remarks: remarksOnSpace(context, scope),
        clock: clockOf(context),
      };
    });
  };
}

/** Other languages start campaigns too, and know no tools. */
function problemsOfMedia(media: PrepareOrder['media']): string[] {
  return Object.entries(media).flatMap(([name, { tool, request }]) =>
    findRequestProblems(tool, request).map((problem) =>
      problemText({ ...problem, path: ['media', name, ...problem.path] }),
    ),
  );
}

/** Why something cannot be used. What may pass is thrown. */
async function problemOf(what: string, read: () => Promise<unknown>): Promise<string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    if (!isMissing(error) && !(error instanceof InvalidRequestError)) throw error;
    const why = isMissing(error) ? 'is not there, or not for this workspace' : 'cannot be asked for';
    return [`${shorten(what, 200)}: ${why} (${error.message})`];
  }
}

/** Only a workspace that says so is inactive: every field may be missing. */
function problemsOfWorkspace({ workspace }: WorkspaceContext): string[] {
  if (workspace?.is_active !== false) return [];
  const name = workspace.name ?? workspace.slug ?? workspace.id ?? 'of this credential';
  return [`workspace ${shorten(String(name), 200)}: is not active`];
}

/** The document says that the list is no authority on the spaces that somebody can work in. */
function remarksOnSpace({ teamspaces }: WorkspaceContext, scope: Scope | undefined): string[] {
  const space = scope?.space;
  // Other languages write null for what they leave out.
  if (typeof space !== 'string' || teamspaces?.some(({ id }) => String(id) === space)) return [];
  return [
    `space ${space} is not among the spaces that the workspace lists; it may be there all the same, so nothing is refused`,
  ];
}

function unique(ids: string[]): string[] {
  return [...new Set(ids)];
}
