/** Rules of outlooks and nudges. Part of the workflow bundle. */
import { isRecord } from '../api/json';
import { DEFAULT_CAMPAIGN_AT, DEFAULT_OUTLOOK, MOST_OUTLOOK_WEEKS } from '../contract';
import {
  duration,
  givenKey,
  notify,
  notifyFields,
  place,
  project,
  researchFields,
  scope,
  text,
} from './fields';
import {
  also,
  described,
  isLeftOut,
  isText,
  must,
  object,
  openObject,
  required,
  validate,
  wholeNumber,
} from './rules';

const LOOKED_AT = ['drafts', 'activity', 'boards'];

export const outlookSpec = also(
  object({
    key: required(described('names this one look; the next one has another', givenKey)),
    scope,
    project: required(described('the project that keeps the outlook', project)),
    at: described(
      `JSON pointer to the campaign in the project's data; ${DEFAULT_CAMPAIGN_AT} when left out`,
      place,
    ),
    ...researchFields,
    weeks: described(
      `how many weeks are kept; ${DEFAULT_OUTLOOK.weeks} when left out`,
      wholeNumber(MOST_OUTLOOK_WEEKS),
    ),
    silentAfter: described(
      `after how long without a change a board is silent; ${DEFAULT_OUTLOOK.silentAfter} when left out`,
      duration,
    ),
    notify: described('who is nudged; nobody when left out', object(notifyFields)),
  }),
  (spec, path) =>
    LOOKED_AT.every((part) => isLeftOut(spec[part]))
      ? [{ path, words: 'has nothing to look at; give drafts, activity or boards' }]
      : [],
  { anyOf: LOOKED_AT.map((part) => ({ required: [part] })) },
);

export const validateOutlook = (spec: unknown): string[] => validate(outlookSpec, spec);

const nudge = must(
  '{ about: "approval" } or { about: "board", board, since }',
  { type: 'object' },
  (value) => isRecord(value) && (value.about === 'approval' || (isText(value.board) && isText(value.since))),
);

const nudgeInput = openObject({
  ...{ to: required(notify), nudge: required(nudge), project: required(project) },
  ...{ week: required(text), timezone: required(text), place: required(text) },
});

export const validateNudge = (input: unknown): string[] => validate(nudgeInput, input);
