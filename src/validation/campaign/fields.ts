/** The parts of what a campaign is asked for, each by itself. */
import { isInnerPointer } from '../../api/json';
import { fitsHeader, ID_FORM, isIdText, isPrintable } from '../../api/scope';
import { RECORD_KINDS } from '../../contract';
import { DURATION_FORM, parseDuration } from '../../contract/durations';
import { isLeftOut, isRecord, isText, validateRecordInput, validateTranscription } from '../inputs';
import { type Problem, problemsWithin, type Check, eachNamed, listOf, must, object, required } from './shape';

export const MOST_AT_ONCE = 100;
/** How many voices, boards or tasks are asked after. */
export const MOST_READ = 100;
/** Longer ones are slips, and a date so far away cannot be told. */
export const LONGEST_WAIT_DAYS = 3_650;
const DAY_MS = 86_400_000;

const JOB_NAME = /^[A-Za-z0-9._-]{1,60}$/;
export const JOB_NAME_FORM = '1 to 60 letters, digits, dots, underscores or hyphens';
/** Both would have the same run: see {@link batchItemKey}. */
export const ITEM_NAME_WORDS = 'must not be an i and a number: items of batches are called so';
/** Also what Segue makes of the keys that people give. With the longest name of a job it is still a key. */
const CAMPAIGN_KEY = /^[A-Za-z0-9._~+-]{1,190}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An object cannot have a member of that name in every language, nor everywhere in this one. */
export function isJobName(name: string): boolean {
  return JOB_NAME.test(name) && name !== '__proto__';
}

export function isWait(duration: string): boolean {
  const ms = parseDuration(duration) ?? 0;
  return ms > 0 && ms <= LONGEST_WAIT_DAYS * DAY_MS;
}

export const WAIT_FORM = `a duration like 90m, 24h or 7d, of at most ${LONGEST_WAIT_DAYS}d`;

const text = must(isText, 'a text');
const flag = must((value) => typeof value === 'boolean', 'true or false');
const uuid = must((value) => typeof value === 'string' && UUID.test(value), 'a UUID');
const wait = must((value) => typeof value === 'string' && isWait(value), WAIT_FORM);
const header = must(
  (value) => typeof value === 'string' && fitsHeader(value),
  'an id that an HTTP header can carry',
);
const id = must(isIdText, ID_FORM);
/** As the jobs take it, which tell the same people. */
const person = must((value) => isPrintable(value, 200), 'an id without blanks, at most 200 long');
/** The service takes several in one text, with commas between them. */
const account = must(
  (value) => isIdText(value) && !value.includes(','),
  'an id without commas, at most 200 long',
);
const ids = listOf(id, { most: MOST_READ });
const settings = must(isRecord, 'an object');
/** As the jobs read it. */
const duration = must(
  (value) => typeof value === 'string' && parseDuration(value) !== undefined,
  DURATION_FORM,
);

export const mediaFields = {
  tool: required(text),
  request: required(must(isRecord, 'an object')),
  optional: flag,
};

/** What is read of a workspace, by a campaign and by an outlook. */
export const researchFields = {
  drafts: object({ accounts: required(listOf(account, { least: 1, most: MOST_READ })), search: text }),
  activity: ids,
  boards: ids,
};

const research: Check = (value, path) =>
  isRecord(value) && Object.values(value).every(isLeftOut)
    ? [{ path, words: 'names nothing to read: give drafts, activity or boards' }]
    : object(researchFields)(value, path);

const transcript: Check = (value, path) =>
  isRecord(value)
    ? [
        ...object({ id: required(uuid), format: anything, optional: flag })(value, path),
        ...problemsWithin(path, validateTranscription({ transcriptionId: SOME_UUID, format: value.format })),
      ]
    : object({})(value, path);
/** Stands in where only the rest is asked after. */
const SOME_UUID = '00000000-0000-4000-8000-000000000000';

const record: Check = (value, path) => {
  const problems = object({ asset: id, run: id, video: id, failOn: anything, optional: flag })(value, path);
  if (!isRecord(value)) return problems;
  const kinds = RECORD_KINDS.filter((kind) => !isLeftOut(value[kind]));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1)
    return [...problems, { path, words: `must name one of ${RECORD_KINDS.join(', ')}` }];
  const asked = { kind, id: value[kind], failOn: value.failOn };
  return [...problems, ...problemsWithin(path, validateRecordInput(asked))];
};

export const campaignShape = object({
  key: required(
    must(
      (value) => typeof value === 'string' && CAMPAIGN_KEY.test(value),
      '1 to 190 letters, digits, dots, underscores, hyphens, ~ or +',
    ),
  ),
  scope: object({ organization: header, space: header }),
  project: required(object({ resourcetype: required(id), id: required(id) })),
  at: must(isInnerPointer, 'a JSON pointer to a place of its own, like /campaign'),
  notify: object({
    ...{ userId: required(person), workspaceId: required(person) },
    ...{ threadId: text, link: text, ctaLabel: text, progress: flag },
  }),
  require: object({ voices: listOf(uuid, { most: MOST_READ }), boards: ids }),
  research,
  media: eachNamed(object(mediaFields)),
  transcripts: eachNamed(transcript),
  waits: eachNamed(record),
  approval: object({ from: required(id), remind: wait, expires: wait }),
  concurrency: must(
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_AT_ONCE,
    `a whole number from 1 to ${MOST_AT_ONCE}`,
  ),
  poll: object({ min: duration, max: duration, deadline: duration, giveUp: duration }),
  submit: object({ timeout: duration, authGrace: duration }),
  carried: settings,
});

function anything(): Problem[] {
  return [];
}
