/** A manifest that is read twice: checked first, handed over then. Both readings must see the same. */
import { type FileHandle, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManifestNotKeptError } from '../../errors';
import { linesOf, type ManifestLine } from './lines';
import { manifestChunks, manifestName, openLocal, type ReadOptions } from './source';

export interface RereadableManifest {
  /** What messages call it. */
  name: string;
  /** From the first line on, each time. */
  lines: () => AsyncGenerator<ManifestLine>;
}

/** Files are read where they are. What can be read only once, or is another thing tomorrow, is copied for as long. */
export async function withManifest<T>(
  source: string,
  options: ReadOptions,
  work: (manifest: RereadableManifest) => Promise<T>,
): Promise<T> {
  const name = manifestName(source);
  const isCopy = !(await isFile(source));
  const file = isCopy ? await openCopy(source, name, options) : await openLocal(source);
  try {
    const read = () => file.createReadStream({ start: 0, autoClose: false });
    const lines = () => linesOf(isCopy ? readBack(read(), name) : read());
    return await work({ name, lines });
  } finally {
    await letGo(file);
  }
}

/** A copy that was written and cannot be read was not kept. */
async function* readBack(copy: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  // Only reading throws in here, not what is done with what was read.
  try {
    yield* copy;
  } catch (error) {
    throw new ManifestNotKeptError(name, tmpdir(), error as Error);
  }
}

/** What was read is not worse for it, and an error that led here is the one to be told. */
async function letGo(file: FileHandle | undefined): Promise<void> {
  await file?.close().catch(() => undefined);
}

async function openCopy(source: string, name: string, options: ReadOptions): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await openNameless();
    await writeFile(file, manifestChunks(source, options), { signal: options.signal });
    return file;
  } catch (error) {
    await letGo(file);
    throw isOwnTrouble(error) ? new ManifestNotKeptError(name, tmpdir(), error) : error;
  }
}

/** Whether it is this machine that cannot keep it; whatever else reads the manifest has words of its own. */
function isOwnTrouble(error: unknown): error is NodeJS.ErrnoException {
  const { syscall } = error as { syscall?: unknown };
  return typeof syscall === 'string' && syscall !== 'read';
}

/** Pipes and devices have paths, too; stdin has none. */
async function isFile(source: string): Promise<boolean> {
  if (source === '-') return false;
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
