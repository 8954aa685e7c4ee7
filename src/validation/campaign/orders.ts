import { bytesOf, isDeeper, isRecord } from '../../api/json';
import { type CampaignVerdict } from '../../contract';
import { isItemName } from '../../contract/ids';
import { by, comment, count } from '../fields';
import { listOf, object, oneOf, problemText, required, type Rule, validate } from '../rules';
import { referencesIn, validateGraph } from './references';
import {
  DEEPEST,
  RESERVED_NAME,
  jobName,
  LARGEST_CAMPAIGN_BYTES,
  mediaFields,
  MOST_CAMPAIGN_JOBS,
} from './spec';

const VERDICTS: readonly CampaignVerdict[] = ['approve', 'reject', 'change'];

const newName: Rule = {
  ...jobName,
  check: (value, path) =>
    typeof value === 'string' && isItemName(value)
      ? [{ path, message: RESERVED_NAME }]
      : jobName.check(value, path),
};

const decision = object({
  decision: required(oneOf(VERDICTS)),
  by,
  comment,
  jobs: listOf(jobName, { least: 1, most: MOST_CAMPAIGN_JOBS }),
  round: count,
});

const addedMedia = object({ name: required(newName), by, ...mediaFields });

/** Only the run knows `mediaJobs`, the names of the jobs that can be made again. */
export function validateDecision(order: unknown, mediaJobs?: readonly string[]): string[] {
  const problems = validate(decision, order);
  if (!isRecord(order) || problems.length > 0) return problems;
  const jobs = (order.jobs ?? undefined) as string[] | undefined;
  if (order.decision === 'change' && !jobs) return ['jobs: name the media jobs to make again'];
  if (order.decision !== 'change' && jobs) return [`jobs: only a change names jobs`];
  return (jobs ?? [])
    .filter((job) => mediaJobs?.includes(job) === false)
    .map((job) => `jobs: there is no media job "${job}"`);
}

/** Only the run knows `asked`: everything that the campaign was asked for before. */
export interface OpenCampaign {
  names: readonly string[];
  asked?: unknown;
}

export function validateAddedMedia(order: unknown, campaign: OpenCampaign): string[] {
  const noRoom = validateRoom(order, campaign);
  if (isDeeper(order, DEEPEST)) return noRoom;
  const problems = [...validate(addedMedia, order), ...noRoom];
  if (!isRecord(order) || typeof order.name !== 'string') return problems;
  const { names } = campaign;
  if (names.includes(order.name)) return [...problems, `name: "${order.name}" is taken by another job`];
  const others = names.map((other) => ({ name: other, path: [], references: [] }));
  const job = { name: order.name, path: ['request'], references: referencesIn(order.request) };
  return [...problems, ...validateGraph([...others, job]).map(problemText)];
}

/** Added media is carried from run to run like the spec, so it counts like the spec. */
export function validateRoom(order: unknown, { names, asked }: OpenCampaign): string[] {
  if (isDeeper(order, DEEPEST)) return [`the input: is nested deeper than ${DEEPEST} levels`];
  const bytes = bytesOf([asked, order]);
  return [
    ...(names.length >= MOST_CAMPAIGN_JOBS
      ? [`the input: the campaign has ${names.length} jobs, and takes no more`]
      : []),
    ...(bytes > LARGEST_CAMPAIGN_BYTES
      ? [`the input: with it the campaign has ${bytes} bytes, more than ${LARGEST_CAMPAIGN_BYTES}`]
      : []),
  ];
}
