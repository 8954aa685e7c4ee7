/** A campaign: everything that can be wrong with its spec, each with its place, and how it is started once. */
import { isDeeper } from '../api/json';
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
import { findRequestProblems, startsWith } from './campaignRequests';
import { DEEPEST, findCampaignProblems, type Path, type Problem, problemText } from '../validation/campaign';
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

/** Slips of those who write are told in the schema's words, everything else in the rules' where they know it. */
function validateSchema(spec: unknown): [slips: Problem[], others: Problem[]] {
  const slips: Problem[] = [];
  const others: Problem[] = [];
  for (const issue of issuesOfSpec(spec)) {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
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
