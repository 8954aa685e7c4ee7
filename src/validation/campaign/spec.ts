import { bytesOf, isDeeper, isRecord } from '../../api/json';
import {
  type CampaignInput,
  DEFAULT_APPROVAL,
  DEFAULT_CAMPAIGN_AT,
  DEFAULT_CAMPAIGN_CONCURRENCY,
  RECORD_KINDS,
  SUBTITLE_FORMATS,
} from '../../contract';
import { isItemName } from '../../contract/ids';
import {
  anyObject,
  durationFrom,
  few,
  findRecordProblems,
  flag,
  givenKey,
  id,
  notifyFields,
  pointerIntoProject,
  poll,
  project,
  researchFields,
  scope,
  statuses,
  submit,
  text,
  uuid,
} from '../fields';
import {
  also,
  described,
  eachNamed,
  hasMember,
  isLeftOut,
  matching,
  object,
  oneOf,
  type Path,
  type Problem,
  problemText,
  required,
  wholeNumber,
  withoutNulls,
} from '../rules';
import { type GraphJob, referencesIn, validateGraph } from './references';

/** A workflow's input may have 2 MB; the rest is for what the campaign learns. */
export const LARGEST_CAMPAIGN_BYTES = 512 * 1024;
/** One run keeps all of them in its state. */
export const MOST_CAMPAIGN_JOBS = 1_000;
/** Deeper than any request, and far from the limit of a stack. */
export const DEEPEST = 100;
export const MOST_AT_ONCE = 100;
const LONGEST_WAIT_MS = 3_650 * 86_400_000;

/** Not every language has objects with a member `__proto__`. */
export const jobName = matching(
  /^(?!__proto__$)[A-Za-z0-9._-]{1,60}$/,
  '1 to 60 letters, digits, dots, underscores or hyphens',
);
/** Both would have the same run: see {@link batchItemKey}. */
export const RESERVED_NAME = 'must not be an i and a number, which is the name of a batch item';

const wait = durationFrom(1, LONGEST_WAIT_MS);

const optional = described('the campaign continues without it if it fails', flag);

export const mediaFields = { tool: required(text), request: required(anyObject), optional };

const record = also(
  object({
    asset: described('an asset, by id', id),
    run: described('a workflow run of the service, by id', id),
    video: described('a video, by id', id),
    failOn: statuses,
    optional,
  }),
  (value, path) => {
    const [kind, other] = RECORD_KINDS.filter((known) => !isLeftOut(value[known]));
    return kind === undefined || other !== undefined
      ? [{ path, message: `must name one of ${RECORD_KINDS.join(', ')}` }]
      : findRecordProblems(kind, { failOn: value.failOn }, path);
  },
  { oneOf: RECORD_KINDS.map(hasMember) },
);

const research = also(
  object(researchFields),
  (value, path) =>
    Object.values(value).every(isLeftOut)
      ? [{ path, message: 'names nothing to read: give drafts, activity or boards' }]
      : [],
  { anyOf: Object.keys(researchFields).map(hasMember) },
);

const transcript = object({
  id: required(described('of the transcription', uuid)),
  format: described('srt when left out', oneOf(SUBTITLE_FORMATS)),
  optional,
});

const specFields = {
  key: required(described('what makes it the same campaign: the same key never runs twice', givenKey)),
  scope,
  project: required(described('the project that the campaign keeps its state and results in', project)),
  at: described(
    `JSON pointer into the project's data; ${DEFAULT_CAMPAIGN_AT} when left out`,
    pointerIntoProject,
  ),
  notify: described(
    'who is notified at the end, and when a person is needed',
    object({ ...notifyFields, progress: described('also notify at changes of stage', flag) }),
  ),
  require: described(
    'what must be there before anything is produced',
    object({ voices: few(uuid), boards: described('by UUID or slug', few(id)) }),
  ),
  research: described('what is read of the workspace first', research),
  media: described('media jobs, by name', eachNamed(jobName, object(mediaFields))),
  transcripts: described('subtitles to get, by name', eachNamed(jobName, transcript)),
  waits: described('records that others make, by name', eachNamed(jobName, record)),
  approval: described(
    'who approves the results; without it the campaign is completed when they are there',
    object({
      from: required(described('the user who is asked', id)),
      remind: described(`between reminders; ${DEFAULT_APPROVAL.remind} when left out`, wait),
      expires: described(
        `how long the answer is waited for; ${DEFAULT_APPROVAL.expires} when left out`,
        wait,
      ),
    }),
  ),
  concurrency: described(
    `how many jobs run side by side; ${DEFAULT_CAMPAIGN_CONCURRENCY} when left out`,
    wholeNumber(MOST_AT_ONCE),
  ),
};

const WORK = ['media', 'transcripts', 'waits', 'research'];

/** As people write it. */
export const campaignSpec = also(object(specFields), findWholeProblems, {
  anyOf: WORK.map(hasMember),
});

/** With the longest name of a job it is still a key. */
const derivedKey = matching(
  /^[A-Za-z0-9._~+-]{1,190}$/,
  '1 to 190 letters, digits, dots, underscores, hyphens, ~ or +',
);

const campaignInput = also(
  object({ ...specFields, key: required(derivedKey), poll, submit, carried: anyObject }),
  findWholeProblems,
);

export function validateCampaign(input: unknown): string[] {
  return findCampaignProblems(input).map(problemText);
}

export function findCampaignProblems(input: unknown, rule = campaignInput): Problem[] {
  if (isDeeper(input, DEEPEST)) return [{ path: [], message: `is nested deeper than ${DEEPEST} levels` }];
  return rule.check(input, []);
}

function findWholeProblems(input: Record<string, unknown>): Problem[] {
  const count = namedJobs(input).length;
  return [
    ...(count > MOST_CAMPAIGN_JOBS
      ? [{ path: [], message: `has ${count} jobs, more than ${MOST_CAMPAIGN_JOBS}` }]
      : validateGraph(jobsOf(input))),
    ...validateNames(input),
    ...validateWaits(input),
    ...validatePurpose(input),
    ...validateSize(input),
  ];
}

/** The same campaign without the nulls that other languages write for what they leave out; requests keep theirs. */
export function withoutGaps({ carried, ...asked }: CampaignInput): CampaignInput {
  const spec = withoutNullsAbove(SPEC_LEVELS, asked);
  return isLeftOut(carried) ? spec : { ...spec, carried };
}

/** `media.banner.request`: what is below is the service's. */
export const SPEC_LEVELS = 3;

function withoutNullsAbove<T>(levels: number, value: T): T {
  if (levels === 0 || !isRecord(value)) return value;
  const members = Object.entries(withoutNulls(value));
  return Object.fromEntries(
    members.map(([name, member]) => [name, withoutNullsAbove(levels - 1, member)]),
  ) as T;
}

/** Every job that has a name, however wrong the rest of it is. */
function namedJobs(input: Record<string, unknown>): { name: string; path: Path; job: unknown }[] {
  return ['media', 'transcripts', 'waits'].flatMap((part) =>
    Object.entries(isRecord(input[part]) ? input[part] : {}).map(([name, job]) => ({
      ...{ name, path: [part, name], job },
    })),
  );
}

function jobsOf(input: Record<string, unknown>): GraphJob[] {
  return namedJobs(input).map(({ name, path, job }) => {
    const request = path[0] === 'media' && isRecord(job) ? job.request : undefined;
    const references = referencesIn(request).map((one) => ({ ...one, path: ['request', ...one.path] }));
    return { name, path, references };
  });
}

function validateNames(input: Record<string, unknown>): Problem[] {
  const seen = new Map<string, Path>();
  return namedJobs(input).flatMap(({ name, path }): Problem[] => {
    const other = seen.get(name);
    const [wrong] = jobName.check(name, path);
    const isItem = path[0] === 'media' && isItemName(name);
    const message = isItem ? RESERVED_NAME : (wrong?.message ?? (other && `is taken by ${other.join('.')}`));
    if (!message) seen.set(name, path);
    return message ? [{ path, message: `its name ${message}`, ofName: true }] : [];
  });
}

/** A record has one wait; a second name for it would be a second job that never runs. */
function validateWaits({ key, waits }: Record<string, unknown>): Problem[] {
  const seen = new Map<string, string>();
  return Object.entries(isRecord(waits) ? waits : {}).flatMap(([name, job]) => {
    const kind = isRecord(job) ? RECORD_KINDS.find((one) => !isLeftOut(job[one])) : undefined;
    if (!isRecord(job) || kind === undefined) return [];
    const tooLong = findRecordProblems(kind, { id: job[kind], campaign: key }, ['waits', name]);
    if (tooLong.length > 0) return tooLong;
    const same = JSON.stringify([kind, job[kind]]);
    const other = seen.get(same);
    seen.set(same, other ?? name);
    return other === undefined
      ? []
      : [{ path: ['waits', name], message: `waits for the same ${kind} as ${other}` }];
  });
}

function validatePurpose(input: Record<string, unknown>): Problem[] {
  const { notify, scope: workspace, approval, research: read } = input;
  const problems: Problem[] = [];
  if (namedJobs(input).length === 0 && isLeftOut(read))
    problems.push({ path: [], message: 'has nothing to do: give media, transcripts, waits or research' });
  const workspaces = [isRecord(notify) && notify.workspaceId, isRecord(workspace) && workspace.organization];
  if (!isLeftOut(approval) && !workspaces.some(Boolean))
    problems.push({
      path: ['approval'],
      message: 'needs the workspace of the user who is asked: give notify.workspaceId or scope.organization',
    });
  return problems;
}

/** What an earlier run carried over does not count. */
function validateSize({ carried, ...asked }: Record<string, unknown>): Problem[] {
  const bytes = bytesOf(asked);
  return bytes > LARGEST_CAMPAIGN_BYTES
    ? [{ path: [], message: `has ${bytes} bytes, more than ${LARGEST_CAMPAIGN_BYTES}` }]
    : [];
}
