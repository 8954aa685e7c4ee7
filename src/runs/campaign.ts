/** A campaign: every problem of its spec, with its path, and how it is started once. */
import { findSchemaProblems } from '../api/errors';
import { isDeeper } from '../api/json';
import { findTool, mediaTools } from '../api/tools';
import {
  CAMPAIGN_WORKFLOW,
  type CampaignDecisionTaken,
  type CampaignInput,
  type CampaignResult,
  type CampaignSpec,
  DEFAULT_APPROVAL,
  DEFAULT_CAMPAIGN_AT,
  type FiredEnd,
} from '../contract';
import { campaignWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { digest } from '../platform/digest';
import {
  campaignSpec,
  DEEPEST,
  findCampaignProblems,
  type Path,
  type Problem,
  problemText,
  referencesIn,
  SPEC_LEVELS,
} from '../validation/campaign';
import { isRecord, withoutNulls } from '../validation/inputs';
import { normalizeScope } from './media';
import { type Start, type StartSettings } from './start';

export function validateCampaignSpec(spec: unknown): string[] {
  return findSpecProblems(spec).map(problemText);
}

/** The rules, the request schemas of the tools, and names without a value. */
export function findSpecProblems(spec: unknown): Problem[] {
  const empty = findEmpty(spec, []);
  const emptyPaths = empty.map(({ path }) => path.join('.'));
  const problems = findCampaignProblems(spec, campaignSpec).filter(
    ({ path }) => !emptyPaths.includes(path.join('.')),
  );
  return [...empty, ...problems, ...findMediaProblems(spec)];
}

/** YAML reads a name without a value as null, which the run would take for left out. */
function findEmpty(value: unknown, path: Path): Problem[] {
  if (value === null) return [{ path, message: 'is empty: fill it, or leave it out' }];
  if (path.length === SPEC_LEVELS || !isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => findEmpty(member, [...path, name]));
}

/** A job whose tool or request has the wrong type is for other rules. */
export function findMediaProblems(spec: unknown): Problem[] {
  // Too deep for schemas.
  if (isDeeper(spec, DEEPEST)) return [];
  const media = isRecord(spec) && isRecord(spec.media) ? spec.media : {};
  return Object.entries(media).flatMap(([name, job]) => {
    if (!isRecord(job) || typeof job.tool !== 'string' || !isRecord(job.request)) return [];
    return findRequestProblems(job.tool, job.request).map(({ path, ...rest }) => ({
      path: ['media', name, ...path],
      ...rest,
    }));
  });
}

/** What is wrong with a request before other jobs have results: nothing is said about references. Paths begin at the job. */
function findRequestProblems(tool: string, request: unknown): Problem[] {
  const known = findTool(tool);
  const names = Object.keys(mediaTools);
  if (!known) return [{ path: ['tool'], message: `"${tool}" is not one of ${names.join(', ')}` }];
  const { error } = known.request.safeParse(request);
  const unknownYet = referencesIn(request).map(({ path }) => path);
  return (error ? findSchemaProblems(error) : [])
    .filter(({ path, ofName }) => ofName ?? !unknownYet.some((unknown) => startsWith(path, unknown)))
    .map((problem) => ({ ...problem, path: ['request', ...problem.path] }));
}

export function validateMediaRequest(tool: unknown, request: unknown): string[] {
  if (typeof tool !== 'string' || !isRecord(request) || isDeeper(request, DEEPEST)) return [];
  return findRequestProblems(tool, request).map(problemText);
}

function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((part, index) => path[index] === part);
}

export function campaignStart(
  spec: CampaignSpec,
  { taskQueue, poll, submit }: StartSettings,
): Start<CampaignInput> {
  const { key, project, at = DEFAULT_CAMPAIGN_AT } = spec;
  const scope = normalizeScope(spec.scope);
  return {
    workflow: CAMPAIGN_WORKFLOW,
    workflowId: campaignWorkflowId(key),
    ...{ taskQueue, key, identityOf },
    input: { ...spec, scope, poll, submit },
    attributes: attributesOfJob({ tool: 'campaign', scope, write: { project, at } }, 'preparing'),
    summary: `campaign ${key}`,
  };
}

type End = Pick<CampaignResult, 'status' | 'decisions' | 'written'>;

/** Rejected and expired campaigns complete as workflows, but count as failed. */
export function endOfCampaign({ status, decisions, written }: End): FiredEnd {
  if (status === 'expired') return { status: 'failed', error: 'nobody decided in time' };
  if (status === 'rejected') return { status: 'failed', error: rejectedBy(decisions.at(-1)) };
  if (written.ok) return { status: 'succeeded', error: null };
  return { status: 'unsaved', error: `the project does not show the end: ${written.error}` };
}

function rejectedBy(last: CampaignDecisionTaken | undefined): string {
  return last ? `rejected by ${last.by}${last.comment ? `: ${last.comment}` : ''}` : 'it was rejected';
}

/** Speed and polling do not make it another campaign. */
function identityOf({ poll, submit, concurrency, carried, ...asked }: CampaignInput): string {
  const { scope, at = DEFAULT_CAMPAIGN_AT, approval, ...rest } = asked;
  return digest({
    ...rest,
    scope: normalizeScope(scope),
    at,
    approval: approval && { ...DEFAULT_APPROVAL, ...withoutNulls(approval) },
  });
}
