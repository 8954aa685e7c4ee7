/** What is wrong with what people tell a running campaign. */
import { bytesOf, isDeeper } from '../../api/json';
import { type CampaignVerdict } from '../../contract';
import { isItemName } from '../../contract/ids';
import { isRecord } from '../inputs';
import { DEEPEST, LARGEST_CAMPAIGN_BYTES, MOST_CAMPAIGN_JOBS } from './campaign';
import { isJobName, ITEM_NAME_WORDS, JOB_NAME_FORM, mediaFields } from './fields';
import { validateGraph, referencesIn } from './references';
import {
  type Check,
  comment,
  listOf,
  must,
  object,
  orderText,
  person,
  type Problem,
  required,
} from './shape';

const VERDICTS: readonly CampaignVerdict[] = ['approve', 'reject', 'change'];

const name = must((value) => typeof value === 'string' && isJobName(value), JOB_NAME_FORM);

const newName: Check = (value, path) =>
  typeof value === 'string' && isItemName(value) ? [{ path, words: ITEM_NAME_WORDS }] : name(value, path);

const pause = object({ by: required(person), reason: comment });

const decision = object({
  decision: required(
    must(
      (value) => VERDICTS.some((verdict) => verdict === value),
      VERDICTS.join(', ').replace(/, (\w+)$/, ' or $1'),
    ),
  ),
  by: required(person),
  comment,
  jobs: listOf(name, { least: 1, most: MOST_CAMPAIGN_JOBS }),
  round: must((value) => Number.isInteger(value) && Number(value) >= 1, 'the number of a question'),
});

const addedMedia = object({ name: required(newName), by: required(person), ...mediaFields });

export function validatePause(order: unknown): string[] {
  return pause(order, []).map(orderText);
}

/** `mediaJobs` are the names of what can be made again; unknown to a client, known to the run. */
export function validateDecision(order: unknown, mediaJobs?: readonly string[]): string[] {
  const problems = decision(order, []).map(orderText);
  if (!isRecord(order) || problems.length > 0) return problems;
  const jobs = (order.jobs ?? undefined) as string[] | undefined;
  if (order.decision === 'change' && !jobs) return ['jobs: name the media jobs to make again'];
  if (order.decision !== 'change' && jobs) return [`jobs: only a change names jobs`];
  return (jobs ?? [])
    .filter((job) => mediaJobs?.includes(job) === false)
    .map((job) => `jobs: there is no media job "${job}"`);
}

/** What an order is checked against. Only the run knows `asked`: everything that the campaign was asked for before. */
export interface OpenCampaign {
  names: readonly string[];
  asked?: unknown;
}

export function validateAddedMedia(order: unknown, campaign: OpenCampaign): string[] {
  const noRoom = validateRoom(order, campaign);
  if (isDeeper(order, DEEPEST)) return noRoom;
  const problems = [...addedMedia(order, []).map(orderText), ...noRoom];
  if (!isRecord(order) || typeof order.name !== 'string') return problems;
  const { names } = campaign;
  if (names.includes(order.name)) return [...problems, `name: "${order.name}" is taken by another job`];
  const others = names.map((other) => ({ name: other, path: [], references: [] }));
  const job = { name: order.name, path: ['request'], references: referencesIn(order.request) };
  return [...problems, ...validateGraph([...others, job]).map(orderText)];
}

/**
 * Whether it is too much to be looked at, as the same tells. What is added is carried from run to run like the rest of
 * the campaign, so that it counts like the rest.
 */
export function validateRoom(order: unknown, { names, asked }: OpenCampaign): string[] {
  if (isDeeper(order, DEEPEST)) return [`the order: is nested deeper than ${DEEPEST} levels`];
  const bytes = bytesOf([asked, order]);
  const problems: Problem[] = [
    ...(names.length >= MOST_CAMPAIGN_JOBS
      ? [{ path: [], words: `the campaign has ${names.length} jobs, and takes no more` }]
      : []),
    ...(bytes > LARGEST_CAMPAIGN_BYTES
      ? [{ path: [], words: `with it the campaign has ${bytes} bytes, more than ${LARGEST_CAMPAIGN_BYTES}` }]
      : []),
  ];
  return problems.map(orderText);
}
