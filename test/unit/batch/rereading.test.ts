/** A manifest is read twice, and the second reading sees what the first one saw. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkManifest, readPartitions, withCheckedManifest } from '../../../src/runs/manifest';
import { type RereadableManifest, withManifest } from '../../../src/runs/manifest/source';
import { ManifestChanged, UnreachableAddress } from '../../../src/errors';
import { shared } from '../../support/jest/shared';
import { startSmallService } from '../../support/service/smallService';

const TEXT = Array.from({ length: 1_200 }, (_, n) =>
  JSON.stringify({ tool: 'remove-background', request: { image_url: `https://example.com/${n}.png` } }),
).join('\n');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(shared().scratch, 'twice-'));
});

const copies = async (): Promise<string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('segue-manifest-'));

/** What both readings find. */
async function readTwice({ lines }: RereadableManifest): Promise<[checked: string[], handedOver: string[]]> {
  const { partitions } = await checkManifest(lines());
  const handedOver: string[] = [];
  for await (const { digest } of readPartitions(lines())) handedOver.push(digest);
  return [partitions.map(({ digest }) => digest), handedOver];
}

test('a file is read where it is', async () => {
  const file = path.join(folder, 'm.ndjson');
  await writeFile(file, TEXT);
  await withManifest(file, {}, async (manifest) => {
    expect(manifest.name).toBe(file);
    const [checked, handedOver] = await readTwice(manifest);
    expect(checked).toHaveLength(3);
    expect(handedOver).toEqual(checked);
  });
});

test.each([
  ['written to', TEXT.replace('/700.png', '/other.png'), 1],
  ['spoiled', TEXT.replace('/700.png"', '/700.png'), 1],
  ['cut off', TEXT.split('\n').slice(0, 1_000).join('\n'), 2],
  ['added to', `${TEXT}\n${TEXT.split('\n')[0]?.replace('/0.png', '/more.png') ?? ''}`, 2],
])('a file that is %s after it was checked is not taken for the same', async (_how, text, unchanged) => {
  const file = path.join(folder, 'changed.ndjson');
  await writeFile(file, TEXT);
  const handedOver: number[] = [];
  const reading = withCheckedManifest(file, {}, async ({ partitions }) => {
    await writeFile(file, text);
    for await (const { n } of partitions) handedOver.push(n);
  });
  await expect(reading).rejects.toThrow(ManifestChanged);
  await expect(reading).rejects.toThrow(`${file}: it was changed after it was checked`);
  expect(handedOver).toHaveLength(unchanged);
});

test('a file that is taken away after it was checked is handed over to its end', async () => {
  const file = path.join(folder, 'gone.ndjson');
  await writeFile(file, TEXT);
  const handedOver: number[] = [];
  await withCheckedManifest(file, {}, async ({ partitions }) => {
    await rm(file);
    for await (const { n } of partitions) handedOver.push(n);
  });
  expect(handedOver).toEqual([1, 2, 3]);
});

test('P7: an address is asked once, and no file with what it gave can be found', async () => {
  const service = await startSmallService({ 'GET /m': { text: TEXT } });
  try {
    const before = await copies();
    await withManifest(`${service.url}/m?sig=1`, {}, async (manifest) => {
      expect(manifest.name).toBe(`${service.url}/m`);
      const [checked, handedOver] = await readTwice(manifest);
      expect(checked).toHaveLength(3);
      expect(handedOver).toEqual(checked);
      expect(await copies()).toEqual(before);
    });
    expect(service.asked).toEqual(['GET /m?sig=1']);
    const missing = withManifest(`${service.url}/none`, {}, readTwice);
    await expect(missing).rejects.toThrow(UnreachableAddress);
    expect(await copies()).toEqual(before);
  } finally {
    await service.stop();
  }
});

test('a pipe is read once', async () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const written = writeFile(pipe, TEXT);
  const [checked, handedOver] = await withManifest(pipe, {}, readTwice);
  await written;
  expect(checked).toHaveLength(3);
  expect(handedOver).toEqual(checked);
});

test('one that is not there is told', async () => {
  await expect(withManifest(path.join(folder, 'none'), {}, readTwice)).rejects.toThrow(
    'there is no such file',
  );
});
