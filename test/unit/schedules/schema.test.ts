/** The published schemas of outlooks and schedules take what Segue takes, and refuse what it refuses. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { validateCampaign } from '../../../src/validation/campaign';
import {
  mediaRequestJsonSchema,
  outlookJsonSchema,
  recordJsonSchema,
  scheduleJsonSchema,
  transcriptJsonSchema,
} from '../../../src/runs/schemas';
import { validateSchedule, type ScheduleOptions } from '../../../src/runs/schedule/spec';
import {
  validateMediaSpec,
  validateOutlook,
  validateRecordInput,
  validateTranscriptInput,
} from '../../../src/validation/inputs';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isOutlook = ajv.compile(outlookJsonSchema());
const isSchedule = ajv.compile(scheduleJsonSchema());

function example(name: string): Record<string, unknown> {
  const file = path.resolve(__dirname, '../../../examples', name);
  return parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}

const LOOK = example('outlook.yaml');

test('the example of an outlook fits its schema', () => {
  expect(isOutlook(LOOK)).toBe(true);
});

test.each([
  ['nothing to look at', { drafts: undefined, activity: undefined, boards: undefined }],
  ['too many weeks', { weeks: 99 }],
  ['a member that is none', { week: 1 }],
  ['no project', { project: undefined }],
  ['a place that is the whole project', { at: '' }],
  ['a bare number for a duration', { silentAfter: 14 }],
  ['two accounts in one', { drafts: { accounts: ['1,2'] } }],
  ['an account that is too long', { drafts: { accounts: ['1'.repeat(201)] } }],
  ['a member of its drafts that is none', { drafts: { accounts: ['1'], serach: 'spring' } }],
  ['more boards than are read', { boards: Array.from({ length: 101 }, (_, n) => `b-${n}`) }],
])('an outlook with %s is refused by both', (_what, wrong) => {
  const asked: unknown = JSON.parse(JSON.stringify({ ...LOOK, ...wrong }));
  expect(validateOutlook(asked)).not.toEqual([]);
  expect(isOutlook(asked)).toBe(false);
});

test('what is wrong with what an outlook reads is told as for a campaign, each at its place', () => {
  const asked = { ...LOOK, drafts: { accounts: ['1', '2,3'], serach: 'spring' }, boards: 'launch-board' };
  const problems = validateOutlook(asked);
  expect(problems).toEqual([
    'drafts.serach: is not known here',
    'drafts.accounts.1: must be an id without commas, at most 200 long',
    'boards: must be a list',
  ]);
  const { drafts, boards } = asked;
  const research = { drafts, boards };
  expect(validateCampaign({ key: 'k', project: campaign.project, research })).toEqual(
    problems.map((problem) => `research.${problem}`),
  );
});

const image_url = 'https://example.com/mug.png';
const transcriptionId = '0190f1e2-0000-7000-8000-000000000000';
const INPUTS = {
  mediaRequest: {
    isValid: ajv.compile(mediaRequestJsonSchema()),
    validate: validateMediaSpec,
    good: { key: 'k', tool: 'remove-background', request: { image_url } },
    left: { key: null, scope: null, write: null, notify: null, taskId: null, poll: { min: null } },
    bad: { key: 'k~1' },
  },
  transcript: {
    isValid: ajv.compile(transcriptJsonSchema()),
    validate: validateTranscriptInput,
    good: { key: 'k', transcriptionId },
    left: { format: null, notify: { userId: 'u', workspaceId: '1', on: null } },
    bad: { key: 'a b' },
  },
  record: {
    isValid: ajv.compile(recordJsonSchema()),
    validate: validateRecordInput,
    good: { kind: 'asset', id: '7' },
    left: { failOn: null, scope: { organization: null }, poll: null },
    bad: { kind: null },
  },
  outlook: {
    isValid: isOutlook,
    validate: validateOutlook,
    good: LOOK,
    left: { at: null, weeks: null, silentAfter: null, notify: null },
    bad: { drafts: null, activity: null, boards: null },
  },
};

test.each(Object.entries(INPUTS))(
  'null for what is left out of an input of %s is taken by both, a bad key or nothing by neither',
  (_name, { isValid, validate, good, left, bad }) => {
    expect(validate({ ...good, ...left })).toEqual([]);
    expect([isValid({ ...good, ...left }), isValid.errors]).toEqual([true, null]);
    expect(validate({ ...good, ...bad })).not.toEqual([]);
    expect(isValid({ ...good, ...bad })).toBe(false);
  },
);

const { key: _ofEachFiring, ...look } = LOOK;
const BATCH = { kind: 'batch', spec: { manifest: 'https://example.com/tonight.ndjson' } };
const NIGHTLY = { spec: { cron: '0 2 * * *' }, timezone: 'UTC', target: BATCH };
const campaign = {
  project: { resourcetype: 'campaign', id: '7' },
  media: {
    mug: { tool: 'remove-background', request: { image_url: 'https://example.com/mug.png' } },
    again: { tool: 'remove-background', request: { image_url: { from: 'mug', at: '/url' } } },
  },
};

const batch = (more: object) => ({ target: { kind: 'batch', spec: { ...BATCH.spec, ...more } } });

test.each([
  ['a batch', {}],
  [
    'a batch with all that it may have',
    batch({
      ...{ concurrency: 100, skipBad: true, scope: { organization: '1' } },
      notify: { userId: 'u', workspaceId: '1', on: ['failed'] },
    }),
  ],
  ['an outlook every hour', { spec: { every: '1h' }, target: { kind: 'outlook', spec: look } }],
  [
    'a campaign on Mondays',
    {
      spec: { calendar: { hour: 9, dayOfWeek: 'MONDAY' } },
      target: { kind: 'campaign', spec: campaign },
      poll: { min: '15s' },
    },
  ],
])('a schedule of %s is taken by both', (_what, more) => {
  const asked = { ...NIGHTLY, ...more };
  expect(validateSchedule('nightly', asked as ScheduleOptions)).toEqual([]);
  isSchedule(asked);
  expect(isSchedule.errors).toBeNull();
});

test.each([
  ['of a file', batch({ manifest: 'tonight.ndjson' })],
  ['without a manifest', batch({ manifest: undefined })],
  ['with no place at the service', batch({ concurrency: 0 })],
  ['with a text for a flag', batch({ skipBad: 'yes' })],
  ['with a member that is none', batch({ partitions: 3 })],
  ['for nobody', batch({ notify: { userId: 'u' } })],
  ['of a kind that there is not', { target: { ...BATCH, kind: 'media' } }],
  ['with two kinds of times', { spec: { cron: '0 2 * * *', every: '1h' } }],
])('a schedule %s is refused by both', (_what, more) => {
  const asked: unknown = JSON.parse(JSON.stringify({ ...NIGHTLY, ...more }));
  expect(validateSchedule('nightly', asked as ScheduleOptions)).not.toEqual([]);
  expect(isSchedule(asked)).toBe(false);
});

test('P7: what is wrong with the address of a manifest is told without it', () => {
  for (const manifest of ['https://u:secret@example.com/m', 'http://example.com/m?sig=secret', 'secret']) {
    const problems = validateSchedule('nightly', { ...NIGHTLY, ...batch({ manifest }) } as ScheduleOptions);
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('secret');
  }
});
