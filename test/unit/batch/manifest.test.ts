/** A manifest is checked whole: everything that is wrong is told with its line, and what is good is counted. */
import { setImmediate } from 'node:timers/promises';
import { checkManifest, problemLines, readPartitions } from '../../../src/runs/manifest';
import { linesOf } from '../../../src/runs/manifest/lines';
import { keyOf } from '../../../src/runs/media';
import { MOST_PARTITION_ITEMS } from '../../../src/contract';
import { all } from '../../support/all';
import { IMAGE, line, linesIn, TOOL } from '../../support/builders/manifestLines';
import { collectGarbage } from '../../support/garbage';
import { shared } from '../../support/jest/shared';

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
    const check = await checkManifest(linesIn(...texts));
    expect(check).toMatchObject({ usable: false, items: 2, lines: 4, badLines: 2, duplicates: 0 });
    expect(check.problems).toEqual([
      { line: 1, problems: [expect.stringMatching(/^is not JSON/)] },
      {
        line: 4,
        problems: [
          expect.stringMatching(/^key: must be a text/),
          expect.stringMatching(/^tool: "x" is not one of/),
        ],
      },
    ]);

    const skipped = await checkManifest(linesIn(...texts), { skipBad: true });
    const without = await checkManifest(linesIn(line({ key: 'a' }), line({ key: 'b' })));
    expect(skipped).toMatchObject({ usable: true, items: 2, digest: without.digest });
    expect(await checkManifest(linesIn('{'), { skipBad: true })).toMatchObject({ usable: false, items: 0 });
  });

  test('lists the first twenty problems, and counts all bad lines', async () => {
    const check = await checkManifest(linesIn(...Array.from({ length: 250 }, () => '{}')));
    expect(check).toMatchObject({ badLines: 250, lines: 250 });
    expect(check.problems.map((problem) => problem.line)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
    // Each of these lines has two problems.
    expect(problemLines('m', check).slice(18)).toEqual([
      'm:10: tool: is required',
      'm:10: request: is required',
      'and more, in 250 bad lines in all',
    ]);
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
    const [partition] = await all(readPartitions(linesIn(...texts)));
    expect(partition?.items).toMatchObject([{ key: 'a', request: { image_url: IMAGE } }, { tool: TOOL }]);
  });

  test('a key that is a digest is taken by the line that gives it as its name', async () => {
    const key = keyOf({ tool: TOOL, request: { image_url: IMAGE } });
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
      { count: 1, line: 1, words: expect.stringContaining('has no key and an address that looks signed') },
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
      [{ count: 2, line: 3, words: expect.stringMatching(/^has no key .* \(one of 2 such lines\)$/) }],
    );
  });
});

describe('lines that write to the same place', () => {
  const warned = async (...texts: string[]) => (await checkManifest(linesIn(...texts))).warnings;
  const project = { resourcetype: 'campaign', id: '7' };
  let keys = 0;
  const writing = (at: string, members = {}): string =>
    line({ key: `w${keys++}`, write: { project, at }, ...members });

  test('are one warning, with the first two, the place, and how many more there are', async () => {
    expect(await warned(writing('/a'), line(), writing('/a'))).toEqual([
      {
        ...{ count: 1, line: 3 },
        words:
          'writes to /a of campaign 7, as line 1 does: ' +
          'the last write replaces the other; give each line its own path',
      },
    ]);
    const one = { scope: { organization: '1' } };
    expect(
      await warned(writing('/b'), writing('/a', one), writing('/a', one), writing('/b'), writing('/b')),
    ).toEqual([
      {
        ...{ count: 3, line: 3 },
        words: expect.stringMatching(
          /^writes to \/a of campaign 7, as line 2 does: .* \(one of 3 such lines\)$/,
        ),
      },
    ]);
  });

  test('are others where pointer, project or workspace differ', async () => {
    const other = { write: { project: { ...project, id: '8' }, at: '/a' } };
    const texts = [
      writing('/a'),
      writing('/A'),
      writing('/a', other),
      writing('/a', { scope: { organization: '1' } }),
    ];
    expect(await warned(...texts)).toEqual([]);
    const inSpace = writing('/a', { scope: { organization: '1', space: '2' } });
    expect(await warned(...texts, inSpace)).toMatchObject([{ count: 1, line: 5 }]);
  });

  test('that are left out for something else are none', async () => {
    const texts = [writing('/a'), writing('/a', { tool: 'none' })];
    const { warnings } = await checkManifest(linesIn(...texts), { skipBad: true });
    expect(warnings).toEqual([]);
  });
});

test('very many lines need little memory, both times they are read, whether they have keys or not, and wherever they write', async () => {
  const COUNT = shared().full ? 1_000_000 : 30_000;
  const kept = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = kept();
  let most = 0;
  async function* generated(): AsyncGenerator<Buffer> {
    for (let n = 0; n < COUNT; n += 1_000) {
      const texts = Array.from({ length: 1_000 }, (_, index) => {
        const number = n + index;
        const padding = 'x'.repeat(200);
        return line(
          number % 2 === 0
            ? { key: `item-${number}`, write: { project: { resourcetype: 'a', id: '1' }, at: `/${number}` } }
            : {},
          `https://example.com/${number}.png?${padding}`,
        );
      });
      yield Buffer.from(`${texts.join('\n')}\n`);
      if (n % (COUNT / 10) === 0) most = Math.max(most, kept() - before);
      await setImmediate();
    }
    most = Math.max(most, kept() - before);
  }
  const check = await checkManifest(linesOf(generated()));
  expect(check).toMatchObject({ usable: true, items: COUNT, lines: COUNT, badLines: 0 });
  expect(check.partitions).toHaveLength(COUNT / MOST_PARTITION_ITEMS);
  let items = 0;
  for await (const partition of readPartitions(linesOf(generated()), { facts: check.partitions }))
    items += partition.items.length;
  expect(items).toBe(COUNT);
  // 89 MiB at full size, 4 else, for their keys and places; the lines themselves have 300 MB and 9.
  expect(most).toBeLessThan((shared().full ? 110 : 8) * 1024 * 1024);
}, 1_200_000);
