/** A campaign: everything that can be wrong with its spec, each with its place, and how it is started once. */
import { type z } from 'zod';
import { isDeeper } from '../api/json';
import { findTool, mediaTools } from '../api/tools';
import {
  CAMPAIGN_WORKFLOW,
  type CampaignInput,
  type CampaignSpec,
  DEFAULT_APPROVAL,
  DEFAULT_CAMPAIGN_AT,
} from '../contract';
import { campaignWorkflowId } from '../contract/ids';
import { attributesOfJob } from '../contract/searchAttributes';
import { digest } from '../platform/digest';
import {
  DEEPEST,
  findCampaignProblems,
  type Path,
  type Problem,
  problemText,
  referencesIn,
  unknownMember,
} from '../validation/campaign';
import { isRecord, withoutNulls } from '../validation/inputs';
import { issuesOfSpec } from './schemas/campaign';
import { withoutGaps } from './media';
import { type Start, type StartSettings } from './start';

/** All problems at once, in words; none when the campaign can be started. */
export function validateCampaignSpec(spec: unknown): string[] {
  return findSpecProblems(spec).map(problemText);
}

/** The run's own rules, the requests that the tools take, and what only people who write specs are held to. */
export function findSpecProblems(spec: unknown): Problem[] {
  // What has no floor is not looked at any further.
  if (isDeeper(spec, DEEPEST)) return findCampaignProblems(spec);
  const [slips, others] = validateSchema(spec);
  const rules = findCampaignProblems(spec).filter(isNowhereNear(slips));
  const requests = findMediaProblems(spec);
  const told = [...slips, ...rules, ...requests];
  return [...told, ...others.filter(isNowhereNear(told))];
}

function findMediaProblems(spec: unknown): Problem[] {
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
export function findRequestProblems(tool: string, request: unknown): Problem[] {
  const known = findTool(tool);
  const names = Object.keys(mediaTools);
  if (!known) return [{ path: ['tool'], words: `"${tool}" is none of ${names.join(', ')}` }];
  const { error } = known.request.safeParse(request, { reportInput: true });
  const unknownYet = referencesIn(request).map(({ path }) => path);
  return (error?.issues ?? [])
    .flatMap(problemsOfIssue)
    .filter(({ path, ofName }) => ofName ?? !unknownYet.some((place) => startsWith(path, place)))
    .map((problem) => ({ ...problem, path: ['request', ...problem.path] }));
}

/** The same in words; a `tool` or `request` of the wrong type is for other rules to tell. */
export function validateMediaRequest(tool: unknown, request: unknown): string[] {
  if (typeof tool !== 'string' || !isRecord(request) || isDeeper(request, DEEPEST)) return [];
  return findRequestProblems(tool, request).map(problemText);
}

/** One for each field that is not known. */
function problemsOfIssue(issue: z.core.$ZodIssue): Problem[] {
  const path = pathOf(issue);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownMember([...path, name]));
  const isMissing = issue.input === undefined;
  return [{ path, words: isMissing ? 'is required' : issue.message }];
}

function pathOf({ path }: z.core.$ZodIssue): Path {
  return path.map((part) => (typeof part === 'symbol' ? String(part) : part));
}

function startsWith(path: Path, start: Path): boolean {
  return start.length <= path.length && start.every((part, index) => path[index] === part);
}

/** Slips of those who write are told in the schema's words, everything else in the rules' where they know it. */
function validateSchema(spec: unknown): [slips: Problem[], others: Problem[]] {
  const slips: Problem[] = [];
  const others: Problem[] = [];
  for (const issue of issuesOfSpec(spec)) {
    const path = pathOf(issue);
    const { input } = issue;
    if (issue.code === 'unrecognized_keys')
      for (const name of issue.keys)
        others.push({ path: [...path, name], words: 'is not known here', ofName: true });
    else if (input === null) slips.push({ path, words: 'is empty: fill it, or leave it out' });
    else if (issue.message.startsWith('Invalid input: expected string') && isBare(input))
      slips.push({ path, words: `must be a text: put it in quotes, "${input}"` });
    // Keys that Segue makes have another form, and nobody writes those.
    else if (path[0] === 'key' && typeof input === 'string') slips.push({ path, words: issue.message });
    else others.push({ path, words: issue.message });
  }
  return [slips, others];
}

function isBare(value: unknown): value is number | boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Two ways to say what is wrong with one value are one too many. */
function isNowhereNear(told: readonly Problem[]): (problem: Problem) => boolean {
  const isNear = (a: Path, b: Path): boolean =>
    a.length === 0 || b.length === 0 ? a.length === b.length : startsWith(a, b) || startsWith(b, a);
  return ({ path }) => !told.some((other) => isNear(path, other.path));
}

/** How the run of a campaign is started, whoever does it. */
export function campaignStart(
  spec: CampaignSpec,
  { taskQueue, poll, submit }: StartSettings,
): Start<CampaignInput> {
  const { key, project, at = DEFAULT_CAMPAIGN_AT } = spec;
  const scope = withoutGaps(spec.scope);
  return {
    workflow: CAMPAIGN_WORKFLOW,
    workflowId: campaignWorkflowId(key),
    ...{ taskQueue, key, askOf },
    input: { ...spec, scope, poll, submit },
    attributes: attributesOfJob({ tool: 'campaign', scope, write: { project, at } }, 'preparing'),
    summary: `campaign ${key}`,
  };
}

/** How fast it is done, and how often others are asked, does not make it another campaign. */
function askOf({ poll, submit, concurrency, carried, ...asked }: CampaignInput): string {
  const { scope, at = DEFAULT_CAMPAIGN_AT, approval, ...rest } = asked;
  return digest({
    ...rest,
    scope: withoutGaps(scope),
    at,
    approval: approval && { ...DEFAULT_APPROVAL, ...withoutNulls(approval) },
  });
}
