import { endOf } from '../api/endings';
import { isInnerPointer, isRecord } from '../api/json';
import { ID_FORM, isIdText, isWellFormed, validateScope } from '../api/scope';
import { NOTIFY_EVENTS, type RecordKind, type RecordStatus } from '../contract';
import { DURATION, DURATION_FORM, formatDuration, parseDuration } from '../contract/durations';
import {
  ANY_KEY,
  ANY_KEY_FORM,
  GIVEN_KEY,
  isKey,
  isWorkflowId,
  KEY_FORM,
  LONGEST_KEY,
  recordKey,
} from '../contract/ids';
import {
  also,
  described,
  isText,
  listOf,
  matching,
  must,
  object,
  oneOf,
  type Path,
  type Problem,
  required,
  type Rule,
} from './rules';
import { pollTimes } from './times';

const TEXT = { type: 'string', minLength: 1 };

export const text = must('a text', TEXT, isText);
export const flag = must('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean');
export const count = must('a whole number from 1 on', { type: 'integer', minimum: 1 }, isCount);
export const anyObject = must('an object', { type: 'object' }, isRecord);
export const duration = matching(DURATION, DURATION_FORM);
const LONGEST_DURATION_MS = 366 * 86_400_000;
export const uuid = matching(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'a UUID');
export const id = must(ID_FORM, { ...TEXT, pattern: '^\\S(.*\\S)?$', maxLength: 200 }, isIdText);

/** What a person may choose; Segue derives other keys from it. */
export const givenKey = matching(GIVEN_KEY, KEY_FORM);
export const runKey = matching(ANY_KEY, ANY_KEY_FORM);
/** The run that gets a report of each stage. */
export const listener = must('a workflow id', TEXT, isWorkflowId);

const header = must(
  'an id that an HTTP header can carry, at most 100 long',
  { type: 'string', pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$', maxLength: 100 },
  (value) => validateScope({ organization: value }).length === 0,
);
export const scope = described(
  "workspace and sub-space, instead of the worker's own",
  object({ organization: header, space: header }),
);

export const project = object({ resourcetype: required(id), id: required(id) });

export const pointerIntoProject = must(
  'a JSON pointer into the project, like /media/banner',
  { type: 'string', pattern: '^\\/([^~]|~[01])*$' },
  (value) => isInnerPointer(value) && isWellFormed(value),
);

export const write = object({
  project: required(project),
  at: required(pointerIntoProject),
  failedAt: pointerIntoProject,
});

const person = matching(/^[\x21-\x7e]{1,200}$/, 'an id without blanks, at most 200 long');

export const notifyFields = {
  userId: required(person),
  workspaceId: required(person),
  threadId: text,
  link: described('where the notification leads', text),
  ctaLabel: described('what is written on that link', text),
};

export const notify = object({
  ...notifyFields,
  on: described('of what; of all of them when left out', listOf(oneOf(NOTIFY_EVENTS), { most: 10 })),
});

const interval = durationFrom(50);
const limit = durationFrom(0);
/** As people give it; the settings of the worker or client stand for what they leave out. */
export const givenPoll = object({ min: interval, max: interval, deadline: limit, giveUp: limit });
export const poll = also(givenPoll, (given, path) => {
  const { pollMin, pollMax, deadline, giveUp } = pollTimes(given);
  return [
    ...(pollMin > pollMax ? [{ path: [...path, 'min'], message: 'is longer than poll.max' }] : []),
    ...(deadline > giveUp ? [{ path: [...path, 'deadline'], message: 'is longer than poll.giveUp' }] : []),
  ];
});
export const submit = object({ timeout: durationFrom(1_000), authGrace: limit });

/** How many voices, boards or tasks are read. */
export const few = (rule: Rule, least?: number): Rule => listOf(rule, { least, most: 100 });

const account = must(
  'an id without commas, at most 200 long',
  { type: 'string', pattern: '^[^,\\s]([^,]*[^,\\s])?$', maxLength: 200 },
  // The service takes several in one text, with commas between them.
  (value) => isIdText(value) && !value.includes(','),
);

/** What is read of a workspace, by a campaign and by an outlook. */
export const researchFields = {
  drafts: described(
    'draft social posts',
    object({
      accounts: required(described('whose drafts are read', few(account, 1))),
      search: described('only drafts whose content matches', text),
    }),
  ),
  activity: described('tasks whose activity is read', few(id)),
  boards: described('boards, by UUID or slug', few(id)),
};

const isStatus = (value: unknown): value is RecordStatus => isText(value) || typeof value === 'number';

export const statuses = described(
  'statuses that are taken for a failure',
  listOf(must('a status', { anyOf: [TEXT, { type: 'number' }] }, isStatus), { most: 100 }),
);

/** What is wrong with the fields of a wait together. */
export function findRecordProblems(
  kind: RecordKind,
  { id: recordId, failOn, campaign }: { id?: unknown; failOn?: unknown; campaign?: unknown },
  path: Path,
): Problem[] {
  const owner = isText(campaign) && isKey(campaign) ? campaign : undefined;
  const isTooLong = isIdText(recordId) && !isKey(recordKey(kind, recordId, owner));
  const message = `must be shorter: with kind and campaign at most ${LONGEST_KEY} long`;
  const done = (Array.isArray(failOn) ? failOn : [])
    .filter(isStatus)
    .filter((status) => endOf(kind, status) === 'done');
  return [
    ...(isTooLong ? [{ path: [...path, 'id'], message }] : []),
    ...done.map((status) => ({
      path: [...path, 'failOn'],
      message: `${status} is the status of what is done`,
    })),
  ];
}

const LONGEST_COMMENT = 4_000;

/** Who gives an order to a running batch or campaign. */
export const by = required(
  must(
    'the name of who decides',
    TEXT,
    (value) => isText(value) && value.trim() !== '' && value.length <= 200 && isWellFormed(value),
  ),
);
export const comment = must(
  `a text of at most ${LONGEST_COMMENT} characters`,
  TEXT,
  (value) => typeof value === 'string' && value.length <= LONGEST_COMMENT && isWellFormed(value),
);
/** To pause, resume or cancel. */
export const order = object({ by, reason: comment });

export function durationFrom(least: number, most = LONGEST_DURATION_MS): Rule {
  return must(
    `${DURATION_FORM}, from ${formatDuration(least)} to ${formatDuration(most)}`,
    duration.schema,
    (value) => {
      const ms = typeof value === 'string' ? parseDuration(value) : undefined;
      return ms !== undefined && ms >= least && ms <= most;
    },
  );
}

export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1;
}
