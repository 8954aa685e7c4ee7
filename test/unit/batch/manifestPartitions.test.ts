/** The partitions of a manifest: where one ends, and that every reading finds the same ones. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkManifest, readPartitions, withCheckedManifest } from '../../../src/runs/manifest';
import { LARGEST_PARTITION_BYTES, MOST_PARTITION_ITEMS, MOST_PARTITIONS } from '../../../src/contract';
import { InvalidInput } from '../../../src/errors';
import { all } from '../../support/all';
import { line, linesIn, type Members } from '../../support/builders/manifestLines';
import { shared } from '../../support/jest/shared';

const many = (count: number, members: (n: number) => Members = () => ({})): string[] =>
  Array.from({ length: count }, (_, n) => line({ key: `k${n}`, ...members(n) }));

describe('partitions', () => {
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
    const read = await all(readPartitions(linesIn(...texts)));
    expect(read.map(({ n, firstItem }) => [n, firstItem])).toEqual([
      [1, 0],
      [2, 500],
      [3, 1000],
    ]);
    expect(read.map(({ items, firstLine, digest }) => ({ items: items.length, firstLine, digest }))).toEqual(
      partitions,
    );
    expect(read.flatMap(({ items }) => items.map(({ key }) => key))).toEqual(
      Array.from({ length: 2 * MOST_PARTITION_ITEMS + 1 }, (_, n) => `k${n}`),
    );
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
});

describe('a manifest of more partitions than a batch may have', () => {
  const texts = many(2 * MOST_PARTITION_ITEMS + 1);
  const tooLong = expect.stringMatching(/is too long: it needs 3 partitions, .* at most 2; split it before/);

  test('cannot be used, with bad lines left out or not; the first line that would be left over is told', async () => {
    for (const skipBad of [false, true]) {
      const check = await checkManifest(linesIn('', ...texts), { skipBad, mostPartitions: 2 });
      expect(check).toMatchObject({ usable: false, badLines: 0 });
      expect(check.problems).toEqual([{ line: 2 * MOST_PARTITION_ITEMS + 2, problems: [tooLong] }]);
    }
    // Split there, both parts are.
    const check = await checkManifest(linesIn('', ...texts.slice(0, -1)), { mostPartitions: 2 });
    expect(check).toMatchObject({ usable: true, problems: [] });
  });

  test('starts nothing, and is one message', async () => {
    const file = path.join(await mkdtemp(path.join(shared().scratch, 'long-')), 'm.ndjson');
    await writeFile(file, texts.join('\n'));
    const work = jest.fn();
    const refused: unknown = await withCheckedManifest(file, { mostPartitions: 2 }, work).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(InvalidInput);
    expect((refused as InvalidInput).problems).toEqual([
      expect.stringMatching(/m\.ndjson:1001: the manifest is too long: .* a key of its own$/),
    ]);
    expect(work).not.toHaveBeenCalled();
  });

  test('has over a million lines, where they have 2 KiB each', () => {
    const fitting = Math.min(MOST_PARTITION_ITEMS, Math.floor(LARGEST_PARTITION_BYTES / 2_049));
    expect(fitting * MOST_PARTITIONS).toBeGreaterThan(1_000_000);
  });
});
