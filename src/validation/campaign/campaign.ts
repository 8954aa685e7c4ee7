/** What is wrong with a campaign as a whole. */
import { bytesOf, isDeeper } from '../../api/json';
import { type CampaignInput, type CampaignMedia, RECORD_KINDS } from '../../contract';
import { isItemName } from '../../contract/ids';
import { isLeftOut, isRecord, withoutNulls } from '../inputs';
import { campaignShape, isJobName, ITEM_NAME_WORDS, JOB_NAME_FORM } from './fields';
import { type GraphJob, validateGraph, referencesIn } from './references';
import { type Path, type Problem, problemText } from './shape';

/** A workflow's input takes 2 MB; this leaves room for what the campaign learns on its way. */
export const LARGEST_CAMPAIGN_BYTES = 512 * 1024;
/** All of them are known to one run, and handed over when it continues as new. */
export const MOST_CAMPAIGN_JOBS = 1_000;
/** Deeper than any request, and far from what a stack takes. */
export const DEEPEST = 100;

/** Everything that is wrong with a campaign, in words; none when it can run. For any JSON. */
export function validateCampaign(input: unknown): string[] {
  return findCampaignProblems(input).map(problemText);
}

/** The same, each with its place. */
export function findCampaignProblems(input: unknown): Problem[] {
  if (isDeeper(input, DEEPEST)) return [{ path: [], words: `is nested deeper than ${DEEPEST} levels` }];
  const problems = campaignShape(input, []);
  if (!isRecord(input)) return problems;
  const count = namedJobs(input).length;
  if (count > MOST_CAMPAIGN_JOBS)
    problems.push({ path: [], words: `has ${count} jobs, more than ${MOST_CAMPAIGN_JOBS}` });
  // Two that wait for each other among too many are no concern.
  else problems.push(...validateGraph(jobsOf(input)));
  return [
    ...problems,
    ...validateNames(input),
    ...validateSameWaits(input.waits),
    ...validatePurpose(input),
    ...validateSize(input),
  ];
}

/** The same campaign without the nulls that other languages write for what they leave out; requests keep theirs. */
export function withoutGaps({ carried, ...asked }: CampaignInput): CampaignInput {
  const spec = withoutNullsAbove(SPEC_LEVELS, asked);
  return isLeftOut(carried) ? spec : { ...spec, carried };
}

/** `media.banner.tool`: below that nothing is Segue's. */
const SPEC_LEVELS = 3;

function withoutNullsAbove<T>(levels: number, value: T): T {
  if (levels === 0 || !isRecord(value)) return value;
  const members = Object.entries(withoutNulls(value));
  return Object.fromEntries(
    members.map(([name, member]) => [name, withoutNullsAbove(levels - 1, member)]),
  ) as T;
}

const PARTS = ['media', 'transcripts', 'waits'] as const;

/** Every job that is named, however wrong the rest of it is. */
function namedJobs(input: Record<string, unknown>): { name: string; path: Path; job: unknown }[] {
  return PARTS.flatMap((part) => {
    const jobs = input[part];
    return isRecord(jobs)
      ? Object.entries(jobs).map(([name, job]) => ({ name, path: [part, name], job }))
      : [];
  });
}

/** The graph of a campaign, of what can be read of it. */
export function jobsOf(input: object): GraphJob[] {
  return namedJobs(input as Record<string, unknown>).map(({ name, path, job }) => ({
    ...{ name, path },
    references: referencesOf(path, job),
  }));
}

function referencesOf([part]: Path, job: unknown): GraphJob['references'] {
  if (part !== 'media' || !isRecord(job)) return [];
  const { request } = job as Partial<CampaignMedia>;
  return referencesIn(request).map((reference) => ({ ...reference, path: ['request', ...reference.path] }));
}

function validateNames(input: Record<string, unknown>): Problem[] {
  const seen = new Map<string, Path>();
  const problems: Problem[] = [];
  for (const { name, path } of namedJobs(input)) {
    const other = seen.get(name);
    if (!isJobName(name)) problems.push({ path, words: `its name must be ${JOB_NAME_FORM}`, ofName: true });
    else if (path[0] === 'media' && isItemName(name))
      problems.push({ path, words: `its name ${ITEM_NAME_WORDS}`, ofName: true });
    else if (other) problems.push({ path, words: `its name is taken by ${other.join('.')}`, ofName: true });
    else seen.set(name, path);
  }
  return problems;
}

/** A record has one wait, whoever waits; a second name for it would be a second job that never runs. */
function validateSameWaits(waits: unknown): Problem[] {
  if (!isRecord(waits)) return [];
  const seen = new Map<string, string>();
  return Object.entries(waits).flatMap(([name, job]) => {
    const kind = isRecord(job) ? RECORD_KINDS.find((one) => !isLeftOut(job[one])) : undefined;
    if (!isRecord(job) || kind === undefined) return [];
    const same = JSON.stringify([kind, job[kind]]);
    const other = seen.get(same);
    seen.set(same, other ?? name);
    return other === undefined
      ? []
      : [{ path: ['waits', name], words: `waits for the same ${kind} as ${other}` }];
  });
}

function validatePurpose(input: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  if (namedJobs(input).length === 0 && isLeftOut(input.research))
    problems.push({ path: [], words: 'has nothing to do: give media, transcripts, waits or research' });
  const { notify, scope, approval } = input;
  const workspaces = [isRecord(notify) && notify.workspaceId, isRecord(scope) && scope.organization];
  if (!isLeftOut(approval) && !workspaces.some(Boolean))
    problems.push({
      path: ['approval'],
      words: 'needs the workspace of the user who is asked: give notify.workspaceId or scope.organization',
    });
  return problems;
}

/** What it carried over from an earlier run is not what was asked for. */
function validateSize({ carried, ...asked }: Record<string, unknown>): Problem[] {
  const bytes = bytesOf(asked);
  return bytes > LARGEST_CAMPAIGN_BYTES
    ? [{ path: [], words: `has ${bytes} bytes, more than ${LARGEST_CAMPAIGN_BYTES}` }]
    : [];
}
