import {
  validateAddedMedia,
  validateCampaign,
  validateDecision,
  referencesIn,
  resolveReferences,
  withoutGaps,
} from '../../../src/validation/campaign';
import { validateOrder } from '../../../src/validation/inputs';

const project = { resourcetype: 'campaign', id: '7' };
const cutout = { tool: 'remove-background', request: { image_url: 'https://example.com/shoe.png' } };
const building = (from: string) => ({
  tool: 'remove-background',
  request: { image_url: { from, at: '/url' } },
});
const good = { key: 'spring', project, media: { cutout } };

describe('the rules of a campaign, for whatever JSON a run is started with', () => {
  test.each<[string, unknown]>([
    ['the least that makes sense', good],
    ['research alone', { key: 'k', project, research: { boards: ['b'] } }],
    ['null for what is left out', { ...good, scope: null, approval: null, waits: null, notify: null }],
    ['a key that Segue made', { ...good, key: 'nightly~20260101T020000Z+2' }],
    ['an approver of the scope', { ...good, scope: { organization: '42' }, approval: { from: 'u-1' } }],
    ['a chain', { ...good, media: { cutout, b: building('cutout'), c: building('b') } }],
    [
      'what a continued run carries',
      { ...good, carried: { jobs: 'x'.repeat(600_000) }, poll: {}, submit: {} },
    ],
  ])('%s is good', (_name, input) => {
    expect(validateCampaign(input)).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    ['a text', 'x', ['the input: must be an object']],
    [
      'nothing',
      {},
      [
        'key: is required',
        'project: is required',
        'the input: has nothing to do: give media, transcripts, waits or research',
      ],
    ],
    ['a slip', { ...good, aproval: {} }, ['aproval: is not known here']],
    ['a bad key', { ...good, key: 'a/b' }, [expect.stringMatching(/^key: must be 1 to 190 letters/)]],
    [
      'numbers for ids',
      { ...good, project: { resourcetype: 'campaign', id: 7 } },
      ['project.id: must be a text: put it in quotes, "7"'],
    ],
    [
      'no place of its own',
      { ...good, at: '' },
      [expect.stringMatching(/^at: must be a JSON pointer into the project/)],
    ],
    [
      'a name like an item of a batch',
      { ...good, media: { i7: cutout, i7a: cutout }, waits: { i8: { video: 'v' } } },
      ['media.i7: its name must not be an i and a number, which is the name of a batch item'],
    ],
    [
      'a name twice',
      { ...good, waits: { cutout: { video: 'v' } } },
      ['waits.cutout: its name is taken by media.cutout'],
    ],
    [
      'an id that is no id',
      { ...good, waits: { teaser: { asset: '\ud800' }, film: { video: { toString: 1 } } } },
      expect.arrayContaining([
        expect.stringContaining('waits.teaser.asset: must be'),
        expect.stringContaining('waits.film.video: must be'),
      ]) as string[],
    ],
    [
      'a bad name',
      { ...good, media: { 'a b': cutout } },
      [expect.stringMatching(/^media\.a b: its name must be/)],
    ],
    [
      'a name that objects have',
      JSON.parse('{"key":"k","project":{"resourcetype":"c","id":"7"},"waits":{"__proto__":{"run":"r"}}}'),
      [expect.stringMatching(/^waits\.__proto__: its name must be/)],
    ],
    [
      'a name that is missing',
      { ...good, media: { cutout, banner: building('cutuot') } },
      ['media.banner.request.image_url.from: there is no job "cutuot"'],
    ],
    [
      'a job that builds on itself',
      { ...good, media: { a: building('a') } },
      ['media.a.request.image_url.from: is the job itself'],
    ],
    [
      'a cycle',
      { ...good, media: { z: building('b'), a: building('b'), b: building('c'), c: building('a') } },
      ['media.b: waits for itself: b -> c -> a -> b'],
    ],
    [
      'a reference that is none',
      { ...good, media: { a: { tool: 't', request: { x: { from: 3, at: 'url' } } } } },
      [
        'media.a.request.x.from: must be the name of a job',
        'media.a.request.x.at: must be a JSON pointer, like /images/0/url',
      ],
    ],
    [
      'waits for nothing, and for too much',
      { ...good, waits: { a: {}, b: { asset: '1', run: '2' } } },
      ['waits.a: must name one of asset, run, video', 'waits.b: must name one of asset, run, video'],
    ],
    [
      'one record twice',
      { ...good, waits: { a: { run: 'r' }, b: { run: 'r' } } },
      ['waits.b: waits for the same run as a'],
    ],
    [
      'done taken for failed',
      { ...good, waits: { a: { asset: '1', failOn: [4] } } },
      ['waits.a.failOn: 4 is the status of what is done'],
    ],
    [
      'an approver without a workspace',
      { ...good, approval: { from: 'u-1' } },
      [expect.stringMatching(/^approval: needs the workspace/)],
    ],
    [
      'durations without a unit, or without an end',
      { ...good, scope: { organization: '1' }, approval: { from: 'u', remind: 24, expires: '99999d' } },
      [
        expect.stringMatching(/^approval.remind: must be a number with a unit/),
        expect.stringMatching(/^approval.expires: must be a number with a unit/),
      ],
    ],
    [
      'a bad transcript',
      { ...good, transcripts: { t: { id: 'x', format: 'txt' } } },
      ['transcripts.t.id: must be a UUID', 'transcripts.t.format: must be srt or vtt'],
    ],
    [
      'people whom its jobs could not tell',
      { ...good, notify: { userId: 'u 1', workspaceId: 'w'.repeat(201) } },
      [
        'notify.userId: must be an id without blanks, at most 200 long',
        'notify.workspaceId: must be an id without blanks, at most 200 long',
      ],
    ],
    [
      'an empty research',
      { ...good, research: {} },
      [expect.stringMatching(/^research: names nothing to read/)],
    ],
    [
      'too many side by side',
      { ...good, concurrency: 101 },
      ['concurrency: must be a whole number from 1 to 100'],
    ],
    [
      'a large request',
      { ...good, media: { a: { tool: 't', request: { x: 'ü'.repeat(270_000) } } } },
      [expect.stringMatching(/more than 524288$/)],
    ],
    [
      'more jobs than a run can know',
      { ...good, media: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`j${n}`, cutout])) },
      ['the input: has 1001 jobs, more than 1000'],
    ],
    [
      'a request without a floor',
      { ...good, media: { a: { tool: 't', request: deep(10_000) } } },
      ['the input: is nested deeper than 100 levels'],
    ],
  ])('%s is refused', (_name, input, problems) => {
    expect(validateCampaign(input)).toEqual(problems);
  });

  test('every problem is told at once', () => {
    const bad = {
      key: '',
      project,
      at: 'x',
      notify: { userId: 'u' },
      media: { a: { tool: '' }, b: building('q') },
    };
    expect(validateCampaign(bad)).toHaveLength(6);
  });

  test('two cycles are two problems', () => {
    const media = { a: building('b'), b: building('a'), c: building('d'), d: building('c') };
    expect(validateCampaign({ ...good, media })).toEqual([
      'media.a: waits for itself: a -> b -> a',
      'media.c: waits for itself: c -> d -> c',
    ]);
  });
});

test('what other languages leave out by null is left out; requests and what is carried keep theirs', () => {
  const request = { image_url: 'https://example.com/shoe.png', background_color: null };
  const carried = { approval: null } as never;
  expect(
    withoutGaps({
      ...{ key: 'k', project, scope: null, transcripts: null, poll: { min: null }, carried },
      ...{ research: { drafts: { accounts: ['1'], search: null }, boards: null } },
      media: { constructor: { tool: 't', request, optional: null } },
      waits: { teaser: { asset: null, run: 'r', video: null } },
    } as never),
  ).toEqual({
    ...{ key: 'k', project, poll: {}, carried: { approval: null } },
    research: { drafts: { accounts: ['1'] } },
    media: { constructor: { tool: 't', request } },
    waits: { teaser: { run: 'r' } },
  });
});

describe('references', () => {
  const request = {
    a: { from: 'x', at: '/1' },
    list: [{ deep: { from: 'y', at: '' } }],
    plain: { from: 'x' },
  };

  test('stand anywhere in a request', () => {
    expect(referencesIn(request)).toEqual([
      { from: 'x', at: '/1', path: ['a'] },
      { from: 'y', at: '', path: ['list', 0, 'deep'] },
    ]);
  });

  test('are replaced in a new request', () => {
    const before = structuredClone(request);
    expect(resolveReferences(request, ({ from, at }) => `${from}${at}`)).toEqual({
      a: 'x/1',
      list: [{ deep: 'y' }],
      plain: { from: 'x' },
    });
    expect(request).toEqual(before);
  });
});

describe('what people tell a running campaign', () => {
  test.each<[unknown, string[]]>([
    [{ decision: 'approve', by: 'u-1' }, []],
    [{ decision: 'change', by: 'u-1', comment: 'more sky', jobs: ['banner'], round: 2 }, []],
    [{ decision: 'maybe' }, ['decision: must be approve, reject or change', 'by: is required']],
    [{ decision: 'change', by: 'u-1' }, ['jobs: name the media jobs to make again']],
    [{ decision: 'approve', by: 'u-1', jobs: ['banner'] }, ['jobs: only a change names jobs']],
    [{ decision: 'change', by: 'u-1', jobs: ['intro'] }, ['jobs: there is no media job "intro"']],
    [null, ['the input: must be an object']],
  ])('the decision %j', (decision, problems) => {
    expect(validateDecision(decision, ['banner'])).toEqual(problems);
  });

  test.each<[unknown, string[]]>([
    [{ name: 'more', by: 'u', ...building('cutout') }, []],
    [{ name: 'cutout', by: 'u', ...cutout }, ['name: "cutout" is taken by another job']],
    [{ name: 'more', by: 'u', ...building('nobody') }, ['request.image_url.from: there is no job "nobody"']],
    [{ by: 'u', ...cutout }, ['name: is required']],
    [
      { name: 'i7', by: 'u', ...cutout },
      ['name: must not be an i and a number, which is the name of a batch item'],
    ],
  ])('the order of more media %j', (order, problems) => {
    expect(validateAddedMedia(order, { names: ['cutout'] })).toEqual(problems);
  });

  test('a pause names who wants it', () => {
    expect(validateOrder({ by: 'u', reason: 'holiday' })).toEqual([]);
    expect(validateOrder({ reason: 'holiday' })).toEqual(['by: is required']);
  });
});

function deep(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}
