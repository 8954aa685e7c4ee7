/** Manifests: everything that is wrong is told with its line, and what is good has the same partitions each time. */
import { setImmediate } from 'node:timers/promises';
import { checkManifest, type ManifestLine, readPartitions } from '../../src/client/batches/manifest';
import { readItem } from '../../src/client/batches/manifest/item';
import { linesOf } from '../../src/client/batches/manifest/lines';
import { keyOf } from '../../src/client/jobs/mediaSpec';
import { LARGEST_PARTITION_BYTES, MOST_PARTITION_ITEMS } from '../../src/contract';
import { InvalidInputError } from '../../src/errors';
import { shared } from '../support/shared';

const TOOL = 'remove-background';
const URL = 'https://example.com/a.png';

type Members = Record<string, unknown>;

/** A good line; `image` makes it another job. */
const line = (members: Members = {}, image = URL): string =>
  JSON.stringify({ tool: TOOL, request: { image_url: image }, ...members });

const linesIn = (...texts: string[]): AsyncIterable<ManifestLine> => linesOf([Buffer.from(texts.join('\n'))]);

function problemsIn(text: string): string[] {
  const read = readItem(text);
  return 'problems' in read ? read.problems : [];
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('a line', () => {
  test('is a media job; without a key it has the one that the job alone would have', () => {
    const asked = {
      tool: TOOL,
      request: { image_url: URL },
      scope: { organization: '42' },
      write: { project: { resourcetype: 'campaign', id: '7' }, at: '/a' },
      notify: { userId: 'u', workspaceId: '42', link: 'https://example.com' },
      taskId: 't-1',
    };
    expect(readItem(JSON.stringify(asked))).toEqual({
      item: { key: keyOf(asked), ...asked },
      isNamed: false,
    });
    expect(readItem(line({ key: 'mug-1' }))).toEqual({
      item: { key: 'mug-1', tool: TOOL, request: { image_url: URL } },
      isNamed: true,
    });
  });

  test('may have null for what it leaves out, as other languages write it', () => {
    const nulls = { key: null, scope: null, write: null, notify: null, taskId: null };
    expect(readItem(line(nulls))).toEqual(readItem(line()));
    expect(readItem(line({ scope: { organization: null } }))).toEqual(readItem(line()));
  });

  test('is told everything that is wrong with it at once', () => {
    const wrong = {
      key: 'no blanks',
      tol: TOOL,
      tool: TOOL,
      request: { image_url: 'ftp://x', magic_crop: 'yes' },
      scope: { organisation: '42', space: 7 },
      poll: { min: '1s' },
      submit: {},
      write: { project: { resourcetype: 'campaign', id: '7', name: 'x' }, at: 'a', faildAt: '/b' },
      notify: { userId: 'u', link: 1 },
      taskId: 7,
    };
    expect(problemsIn(JSON.stringify(wrong))).toEqual([
      'tol: is not known here (did you mean "tool"?)',
      'scope.organisation: is not known here (did you mean "organization"?)',
      'write.faildAt: is not known here (did you mean "failedAt"?)',
      'write.project.name: is not known here',
      'notify.link: must be a text',
      "poll: is the batch's, not a line's",
      "submit: is the batch's, not a line's",
      'key: "no blanks" is not 1 to 120 letters, digits, dots, underscores or hyphens',
      'image_url: must be an http, https or data URL',
      'magic_crop: Invalid input: expected boolean, received string',
      'scope.space: must be an id that an HTTP header can carry, at most 100 long',
      'write.at: must be a JSON pointer, like /media/banner',
      'notify.workspaceId: must be an id without blanks',
      'taskId: must be an id without blanks',
    ]);
  });

  test.each<[string, string, string[]]>([
    ['no JSON', '{"tool"', [expect.stringMatching(/^is not JSON: /)]],
    ['a list', '[]', ['is not a JSON object']],
    ['a text', '"x"', ['is not a JSON object']],
    ['null', 'null', ['is not a JSON object']],
    ['nothing in it', '{}', ['tool: is required', 'request: is required']],
    ['an unknown tool', line({ tool: 'x' }), [expect.stringMatching(/^tool: "x" is none of/)]],
    ['a key that is a number', line({ key: 7 }), ['key: must be a text']],
    ['an empty key', line({ key: '' }), [expect.stringMatching(/^key: "" is not 1 to 120/)]],
    ['a scope that is a text', line({ scope: '42' }), ['scope: must be an object']],
    ['a request that is a list', line({ request: [] }), ['request: must be an object']],
    ['a tool that is no text', line({ tool: { toString: 1 } }), ['tool: must be a text']],
    ['a key that is no text', line({ key: { toString: 1 } }), ['key: must be a text']],
    ['a prototype', `{"__proto__":{},${line().slice(1)}`, ['__proto__: is not known here']],
    [
      'no floor',
      `{"request":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      ['is nested deeper than 100 levels'],
    ],
  ])('with %s', (_name, text, problems) => {
    expect(problemsIn(text)).toEqual(problems);
  });

  test('that is wrong a thousand times is told the first hundred, and no novel', () => {
    const members = Array.from({ length: 1_000 }, (_, n) => [`x${n}`, 1] as const);
    const problems = problemsIn(line(Object.fromEntries(members)));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe('and 900 more');
    expect(problemsIn(line({ key: 'k'.repeat(50_000) })).join('').length).toBeLessThan(600);
  });
});

describe('checking', () => {
  test('counts what is good', async () => {
    const check = await checkManifest(linesIn(line({ key: 'a' }), '', line({ key: 'b' }), line(), ''));
    expect(check).toEqual({
      ...{ usable: true, items: 3, lines: 3, badLines: 0, duplicates: 0 },
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      partitions: [{ items: 3, firstLine: 1, digest: expect.stringMatching(/^[\w-]{16}$/) }],
      problems: [],
      warnings: [],
    });
  });

  test('tells bad lines by their numbers; with skipBad the others are used', async () => {
    const texts = ['{', line({ key: 'a' }), '', line({ key: 7, tool: 'x' }), line({ key: 'b' })];
    const told: unknown[] = [];
    const check = await checkManifest(linesIn(...texts), { onProblem: (problem) => told.push(problem) });
    expect(check).toMatchObject({ usable: false, items: 2, lines: 4, badLines: 2, duplicates: 0 });
    expect(check.problems).toEqual([
      { line: 1, problems: [expect.stringMatching(/^is not JSON/)] },
      { line: 4, problems: ['key: must be a text', expect.stringMatching(/^tool: "x" is none of/)] },
    ]);
    expect(told).toEqual(check.problems);

    const skipped = await checkManifest(linesIn(...texts), { skipBad: true });
    const without = await checkManifest(linesIn(line({ key: 'a' }), line({ key: 'b' })));
    expect(skipped).toMatchObject({ usable: true, items: 2, digest: without.digest });
    expect(await checkManifest(linesIn('{'), { skipBad: true })).toMatchObject({ usable: false, items: 0 });
  });

  test('keeps the first hundred bad lines, and counts and tells them all', async () => {
    let told = 0;
    const check = await checkManifest(linesIn(...Array.from({ length: 250 }, () => '{}')), {
      onProblem: () => (told += 1),
    });
    expect(check).toMatchObject({ badLines: 250, lines: 250 });
    expect(check.problems.map((problem) => problem.line)).toEqual(
      Array.from({ length: 100 }, (_, n) => n + 1),
    );
    expect(told).toBe(250);
  });

  test('names both lines of a key that is there twice; the first is the one that is used', async () => {
    const texts = [
      line({ key: 'a' }),
      line(),
      line({ key: 'a' }, 'https://example.com/b.png'),
      line(),
      line(),
    ];
    const check = await checkManifest(linesIn(...texts), { skipBad: true });
    expect(check).toMatchObject({ usable: true, items: 2, badLines: 3, duplicates: 3 });
    expect(check.problems).toEqual([
      { line: 3, problems: ['key: "a" is that of line 1, too'] },
      { line: 4, problems: ['asks for the same as line 2; where both are meant, give each a key'] },
      { line: 5, problems: ['asks for the same as line 2; where both are meant, give each a key'] },
    ]);
    expect(await checkManifest(linesIn(...texts))).toMatchObject({ usable: false });
    const [partition] = await all(readPartitions(linesIn(...texts), { skipBad: true }));
    expect(partition?.lines).toEqual([1, 2]);
  });

  test('a key that is a digest is taken by the line that gives it as its name', async () => {
    const key = keyOf({ tool: TOOL, request: { image_url: URL } });
    const check = await checkManifest(linesIn(line(), line({ key }, 'https://example.com/b.png')));
    expect(check.problems).toEqual([{ line: 2, problems: [`key: "${key}" is that of line 1, too`] }]);
  });

  test.each([[''], ['\n\n'], ['\ufeff  \r\n']])(
    'a manifest without a line is a problem: %j',
    async (text) => {
      for (const skipBad of [false, true]) {
        const check = await checkManifest(linesIn(text), { skipBad });
        expect(check).toMatchObject({ usable: false, items: 0, lines: 0, partitions: [] });
        expect(check.problems).toEqual([{ line: 1, problems: [expect.stringContaining('is empty')] }]);
      }
    },
  );

  test('the digest is of what is asked for, in its order, not of how the lines are written', async () => {
    const texts = [line({ key: 'a' }), line({ key: 'b' })];
    const of = async (...lines: string[]): Promise<string> => (await checkManifest(linesIn(...lines))).digest;
    const first = await of(...texts);
    expect(await of(...texts)).toBe(first);
    expect(await of('', ...texts.map((text) => ` ${text}\r`), '')).toBe(first);
    expect(await of(...texts.reverse())).not.toBe(first);
    expect(await of(...texts, line({ key: 'c' }))).not.toBe(first);
  });
});

describe('addresses that look signed', () => {
  const warned = async (...texts: string[]) => (await checkManifest(linesIn(...texts))).warnings;

  test.each([
    'https://b.s3.amazonaws.com/a.png?X-Amz-Date=1&X-Amz-Signature=abc',
    'https://storage.googleapis.com/b/a.png?X-Goog-Signature=abc',
    'https://d1.cloudfront.net/a.png?Expires=1&Signature=abc&Key-Pair-Id=k',
    'https://x.blob.core.windows.net/a.png?se=2026-01-01&sig=abc',
    'https://example.com/a.png?w=1&token=abc',
  ])('are a warning without a key: %s', async (image) => {
    expect(await warned(line({}, image))).toEqual([
      { count: 1, line: 1, words: expect.stringContaining('this line has no key') },
    ]);
    expect(await warned(line({ key: 'a' }, image))).toEqual([]);
  });

  test.each([
    'https://example.com/a.png?used=1&base=2&tokens=3',
    'https://example.com/sig=1/a.png',
    'https://example.com/a.png#?sig=1',
  ])('are others: %s', async (image) => {
    expect(await warned(line({}, image))).toEqual([]);
  });

  test('are one warning for the manifest, with the first line and how many there are', async () => {
    const signed = (n: number): string => line({}, `https://example.com/${n}.png?sig=${n}`);
    const bad = `${signed(1).slice(0, -1)},"x":1}`;
    expect(await warned(bad, line(), signed(2), line({ key: 'k' }, 'https://x.y/?sig=1'), signed(3))).toEqual(
      [{ count: 2, line: 3, words: expect.stringContaining('2 lines have no key') }],
    );
  });
});

describe('partitions', () => {
  const many = (count: number, members: (n: number) => Members = () => ({})): string[] =>
    Array.from({ length: count }, (_, n) => line({ key: `k${n}`, ...members(n) }));

  test('end at so many items; both readings find the same, wherever bad lines and blanks stand', async () => {
    const texts = many(2 * MOST_PARTITION_ITEMS + 1);
    texts.splice(3, 0, '', '{}', '');
    texts.splice(700, 0, 'null');
    const { partitions } = await checkManifest(linesIn(...texts), { skipBad: true });
    expect(partitions.map(({ items, firstLine }) => ({ items, firstLine }))).toEqual([
      { items: 500, firstLine: 1 },
      { items: 500, firstLine: 504 },
      { items: 1, firstLine: 1005 },
    ]);
    const read = await all(readPartitions(linesIn(...texts), { skipBad: true }));
    expect(read.map(({ n, firstItem }) => [n, firstItem])).toEqual([
      [1, 0],
      [2, 500],
      [3, 1000],
    ]);
    expect(
      read.map(({ items, lines, digest }) => ({ items: items.length, firstLine: lines[0], digest })),
    ).toEqual(partitions);
    expect(read.flatMap(({ items }) => items.map(({ key }) => key))).toEqual(
      Array.from({ length: 2 * MOST_PARTITION_ITEMS + 1 }, (_, n) => `k${n}`),
    );
    expect(read[0]?.lines.slice(0, 5)).toEqual([1, 2, 3, 7, 8]);
  });

  test('end at so many bytes of JSON, however few items that is', async () => {
    const data = (bytes: number): Members => ({
      request: { image_url: `data:image/png;base64,${'é'.repeat(bytes / 2)}` },
    });
    const texts = many(40, (n) => data(n % 3 === 0 ? 60_000 : 20_000));
    const read = await all(readPartitions(linesIn(...texts)));
    expect(read.length).toBeGreaterThan(2);
    for (const { items } of read)
      expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThanOrEqual(LARGEST_PARTITION_BYTES);
    for (const [index, { items }] of read.slice(0, -1).entries()) {
      const oneMore = [...items, read[index + 1]?.items[0]];
      expect(Buffer.byteLength(JSON.stringify(oneMore))).toBeGreaterThan(LARGEST_PARTITION_BYTES);
    }
    const { partitions } = await checkManifest(linesIn(...texts));
    expect(read.map(({ digest }) => digest)).toEqual(partitions.map(({ digest }) => digest));
  });

  test('before a change have the same digests, so that it can be found', async () => {
    const texts = many(3 * MOST_PARTITION_ITEMS);
    const before = await checkManifest(linesIn(...texts));
    texts[700] = line({ key: 'other' });
    const after = await checkManifest(linesIn(...texts));
    expect(after.digest).not.toBe(before.digest);
    const isSame = after.partitions.map(({ digest }, index) => digest === before.partitions[index]?.digest);
    expect(isSame).toEqual([true, false, true]);
  });

  test('are not read past a bad line that may not be left out', async () => {
    const reading = all(readPartitions(linesIn(line(), '{}'), { name: 'm.ndjson' }));
    await expect(reading).rejects.toThrow(InvalidInputError);
    await expect(reading).rejects.toThrow(
      /m\.ndjson:2: tool: is required\n.*m\.ndjson:2: request: is required/,
    );
  });
});

test('very many lines need little memory, whether they have keys or not', async () => {
  const COUNT = shared().full ? 1_000_000 : 50_000;
  let most = 0;
  async function* generated(): AsyncGenerator<Buffer> {
    for (let n = 0; n < COUNT; n += 1_000) {
      const texts = Array.from({ length: 1_000 }, (_, index) => {
        const number = n + index;
        const padding = 'x'.repeat(200);
        return line(
          number % 2 === 0 ? { key: `item-${number}` } : {},
          `https://example.com/${number}.png?${padding}`,
        );
      });
      yield Buffer.from(`${texts.join('\n')}\n`);
      most = Math.max(most, process.memoryUsage().heapUsed);
      await setImmediate();
    }
  }
  const before = process.memoryUsage().heapUsed;
  const check = await checkManifest(linesOf(generated()));
  expect(check).toMatchObject({ usable: true, items: COUNT, lines: COUNT, badLines: 0 });
  expect(check.partitions).toHaveLength(COUNT / MOST_PARTITION_ITEMS);
  // Fifty thousand lines alone have 15 MB; what is not collected yet counts, too.
  expect(most - before).toBeLessThan((shared().full ? 400 : 60) * 1024 * 1024);
}, 600_000);
