/** Specs as people write them: everything that is wrong is told at once, with its place. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { mediaTools } from '../../../src/api/tools';
import { validateCampaign } from '../../../src/validation/campaign';
import { campaignJsonSchema } from '../../../src/runs/schemas';
import { validateCampaignSpec } from '../../../src/runs/campaign';
import { readCampaignSpec } from '../../../src/client/campaigns/text';
import { InvalidInput } from '../../../src/errors';

const EXAMPLES = path.resolve(__dirname, '../../../examples/campaigns');
const examples = readdirSync(EXAMPLES).map((file) => [file, readFileSync(path.join(EXAMPLES, file), 'utf8')]);
const isValid = new Ajv2020({ strict: true, strictRequired: false, validateFormats: false }).compile(
  campaignJsonSchema(),
);

const START = `key: k
project: { resourcetype: campaign, id: "7" }
`;
const CUTOUT = `cutout: { tool: remove-background, request: { image_url: "https://example.com/a.png" } }`;

/** `line:column: words` of each problem. */
function problemsIn(text: string): string[] {
  try {
    readCampaignSpec(text, 'spec');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.problems.map((problem) => problem.replace(/^spec:/, ''));
  }
}

describe.each(examples)('the example %s', (_file, text = '') => {
  test('can be started', () => {
    const spec = readCampaignSpec(text);
    expect(validateCampaign(spec)).toEqual([]);
    expect(spec.key).toMatch(/^example-/);
  });

  test('fits the JSON Schema', () => {
    expect([isValid(parse(text)), isValid.errors]).toEqual([true, null]);
  });
});

test('there are three examples', () => {
  expect(examples).toHaveLength(3);
});

describe('a spec that is wrong', () => {
  test('is told everything at once, in the order of its lines', () => {
    const spec = `key: "no spaces"
project: { resourcetype: campaign, id: 7 }
scope:
  organisation: "42"
media:
  cutout:
    tool: remove-backgruond
    request: {}
  banner:
    tool: image-outpainting
    request:
      image_url: { from: cutuot, at: images/0 }
      mask_url: nowhere
      count: 0
      promt: a beach
  "bad name": { tool: remove-background, request: { image_url: "https://example.com/a.png" } }
waits:
  banner: { video: v, asset: a }
approval: { from: u-1, remind: 24 }
aproval: {}
`;
    expect(problemsIn(spec)).toEqual([
      '1:6: key: must be 1 to 120 letters, digits, dots, underscores or hyphens',
      '2:40: project.id: must be a text: put it in quotes, "7"',
      '4:3: scope.organisation: is not known here',
      `7:11: media.cutout.tool: "remove-backgruond" is not one of ${Object.keys(mediaTools).join(', ')}`,
      '11:5: media.banner.request.prompt: is required',
      '12:26: media.banner.request.image_url.from: there is no job "cutuot"',
      '12:38: media.banner.request.image_url.at: must be a JSON pointer, like /images/0/url',
      '13:17: media.banner.request.mask_url: must be an http, https or data URL',
      '14:14: media.banner.request.count: must be 1 or more',
      '15:7: media.banner.request.promt: is not known here',
      '16:3: media.bad name: its name must be 1 to 60 letters, digits, dots, underscores or hyphens',
      '18:3: waits.banner: must name one of asset, run, video',
      '18:3: waits.banner: its name is taken by media.banner',
      '19:1: approval: needs the workspace of the user who is asked: give notify.workspaceId or scope.organization',
      '19:32: approval.remind: must be a number with a unit, like 50ms, 15s, 10m, 1h or 7d, from 1ms to 3650d',
      '20:1: aproval: is not known here',
    ]);
  });

  test.each([
    [
      'a cycle',
      `media:\n  a: ${building('b')}\n  b: ${building('c')}\n  c: ${building('a')}\n`,
      ['4:3: media.a: waits for itself: a -> b -> c -> a'],
    ],
    [
      'itself',
      `media:\n  a: ${building('a')}\n`,
      ['4:63: media.a.request.image_url.from: is the job itself'],
    ],
    ['nothing to do', '', ['1:1: the input: has nothing to do: give media, transcripts, waits or research']],
    [
      'something empty',
      `media:\n  ${CUTOUT}\napproval:\n`,
      ['5:1: approval: is empty: fill it, or leave it out'],
    ],
    ['what only starters set', `media:\n  ${CUTOUT}\ncarried: {}\n`, ['5:1: carried: is not known here']],
    ['a name twice', `media:\n  ${CUTOUT}\n  ${CUTOUT}\n`, ['5:3: Map keys must be unique']],
    ['no YAML', `media: [\n`, [expect.stringMatching(/^\d+:\d+: /)]],
    ['two documents', `media:\n  ${CUTOUT}\n---\nkey: k\n`, [expect.stringMatching(/^5:1: /)]],
    ['a tag that nobody knows', `media:\n  ${CUTOUT}\nat: !secret /x\n`, ['5:5: Unresolved tag: !secret']],
  ])('with %s', (_name, rest, problems) => {
    expect(problemsIn(START + rest)).toEqual(problems);
  });

  test('as JSON has lines too', () => {
    const text = JSON.stringify(
      { key: 'k', project: { resourcetype: 'c', id: '7' }, media: { a: {} } },
      null,
      2,
    );
    expect(problemsIn(text)).toEqual(['8:5: media.a.tool: is required', '8:5: media.a.request: is required']);
  });

  test('as something else than an object', () => {
    expect(problemsIn('- a\n')).toEqual(['1:1: the input: must be an object']);
    expect(problemsIn('')).toEqual(['1:1: the input: is empty: fill it, or leave it out']);
  });

  test('whose aliases multiply is not unfolded', () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`);
    expect(problemsIn(`a0: &a0 [x]\n${laughs.join('\n')}\n`)).toEqual([expect.stringMatching(/alias/i)]);
  });
});

test('an alias is what it stands for, also where something is wrong with it', () => {
  const spec = `${START}media:\n  one: &one { tool: remove-background, request: { image_url: "ftp://x" } }\n  two: *one\n`;
  expect(problemsIn(spec)).toEqual([
    '4:62: media.one.request.image_url: must be an http, https or data URL',
    '4:62: media.two.request.image_url: must be an http, https or data URL',
  ]);
});

test('a reference may stand for any value of a request, but not for a field that there is not', () => {
  const request = (field: string) => ({
    key: 'k',
    project: { resourcetype: 'campaign', id: '7' },
    waits: { settings: { run: 'run-1' } },
    media: {
      banner: {
        tool: 'image-outpainting',
        request: {
          ...{ image_url: 'https://example.com/a.png', mask_url: 'https://example.com/m.png', prompt: 'x' },
          [field]: { from: 'settings', at: '/count' },
        },
      },
    },
  });
  for (const field of ['image_url', 'count', 'prompt']) {
    expect(validateCampaignSpec(request(field))).toEqual([]);
    expect(isValid(request(field))).toBe(true);
  }
  expect(validateCampaignSpec(request('height'))).toEqual(['media.banner.request.height: is not known here']);
  expect(isValid(request('height'))).toBe(false);
});

test('the JSON Schema takes null for what is left out, as the workflow does', () => {
  const spec = {
    ...{
      key: 'k',
      scope: { organization: '1', space: null },
      at: null,
      concurrency: null,
      transcripts: null,
    },
    project: { resourcetype: 'campaign', id: '7' },
    notify: { userId: 'u', workspaceId: '1', threadId: null, progress: null },
    research: { boards: ['b'], drafts: null },
    media: {
      mug: { tool: 'remove-background', request: { image_url: 'https://e.com/m.png' }, optional: null },
    },
    waits: { settings: { run: 'run-1', asset: null, failOn: null } },
  };
  expect(validateCampaign(spec)).toEqual([]);
  expect([isValid(spec), isValid.errors]).toEqual([true, null]);
});

test.each<[string, Record<string, unknown>]>([
  ['no key', { key: undefined }],
  ['nothing to do', { media: undefined }],
  ['a field that there is not', { medai: {} }],
  ['an unknown tool', { media: { a: { tool: 'x', request: {} } } }],
  ['a request without what the tool needs', { media: { a: { tool: 'remove-background', request: {} } } }],
  ['the request of another tool', { media: { a: { tool: 'remove-background', request: { prompt: 'x' } } } }],
  ['a wait for two', { waits: { a: { run: '1', asset: '2' } } }],
  [
    'a number for a duration',
    { notify: { userId: 'u', workspaceId: '1' }, approval: { from: 'u', remind: 24 } },
  ],
  ['research of nothing', { research: {} }],
  ['research of nothing but null', { research: { boards: null } }],
  ['null for all work', { media: null, waits: null }],
  ['a wait for null', { waits: { a: { run: null } } }],
  ['a bad name', { waits: { 'a b': { run: '1' } } }],
  ['no UUID', { require: { voices: ['x'] } }],
])('the JSON Schema refuses what the rules refuse: %s', (_name, change) => {
  const good = parse(`${START}media: { ${CUTOUT} }`) as Record<string, unknown>;
  const bad = JSON.parse(JSON.stringify({ ...good, ...change })) as unknown;
  expect(isValid(good)).toBe(true);
  expect(isValid(bad)).toBe(false);
  expect(validateCampaignSpec(good)).toEqual([]);
  expect(validateCampaignSpec(bad)).not.toEqual([]);
});

test('P1: a wait whose key would be too long is refused before anything is paid for', () => {
  const good = parse(`${START}media: { ${CUTOUT} }`) as Record<string, unknown>;
  const bad = { ...good, key: 'k'.repeat(120), waits: { a: { asset: 'a'.repeat(150) } } };
  expect(validateCampaignSpec(bad)).toEqual([
    'waits.a.id: must be shorter: with kind and campaign at most 255 long',
  ]);
});

function building(from: string): string {
  return `{ tool: remove-background, request: { image_url: { from: ${from}, at: /images/0/url } } }`;
}
