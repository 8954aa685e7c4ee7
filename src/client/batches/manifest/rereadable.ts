/** A manifest that is read twice: checked first, handed over then. Both readings must see the same. */
import { type FileHandle, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ProxySettings } from '../../../config';
import { linesOf, type ManifestLine } from './lines';
import { manifestChunks, manifestLines, manifestName } from './source';

export interface RereadableManifest {
  /** What messages call it. */
  name: string;
  /** From the first line on, each time. */
  lines: () => AsyncGenerator<ManifestLine>;
}

/** Files are read where they are. What can be read only once, or is another thing tomorrow, is copied for as long. */
export async function withManifest<T>(
  source: string,
  proxy: ProxySettings,
  work: (manifest: RereadableManifest) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const name = manifestName(source);
  if (await isFile(source)) return work({ name, lines: () => manifestLines(source) });
  const copy = await openNameless();
  try {
    await writeFile(copy, manifestChunks(source, proxy), { signal });
    return await work({ name, lines: () => linesOf(copy.createReadStream({ start: 0, autoClose: false })) });
  } finally {
    await copy.close();
  }
}

/** Pipes and devices have paths, too. */
async function isFile(source: string): Promise<boolean> {
  return stat(source).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** A file that is gone when this process is, however that ends: it may hold addresses that are signed. */
async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'segue-manifest-'));
  try {
    return await open(path.join(folder, 'copy'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}
