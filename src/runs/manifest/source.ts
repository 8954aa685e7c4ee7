/** Where a manifest is: a file, stdin or an address. It is read twice: for the check and for the hand-over. */
import { constants, createReadStream } from 'node:fs';
import { access, type FileHandle, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { type ProxySettings } from '../../config';
import { UnreachableAddress, UnusableFile } from '../../errors';
import { addressName, problemOfAddress, readAddress } from './address';
import { linesOf, type ManifestLine } from './lines';

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** What messages call it. */
export function manifestName(source: string): string {
  if (source === '-') return 'stdin';
  return ADDRESS.test(source) ? addressName(source) : source;
}

/** Why it cannot be read, if that is known in advance; no request is sent to an address. */
export async function validateSource(source: string): Promise<string[]> {
  if (source === '-') return [];
  const problem = ADDRESS.test(source) ? problemOfAddress(source) : await problemOfFile(source);
  return problem === undefined ? [] : [`${manifestName(source)}: ${problem}`];
}

async function problemOfFile(file: string): Promise<string | undefined> {
  try {
    if ((await stat(file)).isDirectory()) return REASONS.EISDIR;
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return wordsOf(error as NodeJS.ErrnoException);
  }
}

export interface ReadOptions {
  proxy?: ProxySettings;
  /** What `-` stands for. Default: the stdin of the process. */
  stdin?: AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
}

export function manifestLines(source: string, options: ReadOptions = {}): AsyncGenerator<ManifestLine> {
  return linesOf(manifestChunks(source, options));
}

function manifestChunks(
  source: string,
  { proxy = {}, stdin = process.stdin }: ReadOptions,
): AsyncIterable<Uint8Array> {
  if (source === '-') return stdin;
  return ADDRESS.test(source) ? readAddress(source, proxy) : readLocal(source);
}

async function* readLocal(file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, error: unknown): UnusableFile {
  return new UnusableFile(file, [wordsOf(error as NodeJS.ErrnoException)]);
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

function wordsOf({ code, message }: NodeJS.ErrnoException): string {
  return REASONS[code ?? ''] ?? message;
}

export interface RereadableManifest {
  name: string;
  /** From the first line on, each time. */
  lines: () => AsyncGenerator<ManifestLine>;
}

/** A file is read where it is, and stays open. What can be read only once, like stdin, is copied. */
export async function withManifest<T>(
  source: string,
  options: ReadOptions,
  work: (manifest: RereadableManifest) => Promise<T>,
): Promise<T> {
  const name = manifestName(source);
  // A path may also be a pipe or a device.
  const isFile = source !== '-' && (await stat(source).catch(() => undefined))?.isFile();
  const file = isFile
    ? await open(source).catch((error: unknown) => {
        throw unusable(source, error);
      })
    : await openCopy(source, name, options);
  try {
    return await work({ name, lines: () => linesOf(file.createReadStream({ start: 0, autoClose: false })) });
  } finally {
    await file.close();
  }
}

async function openCopy(source: string, name: string, options: ReadOptions): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await openNameless();
    await writeFile(file, manifestChunks(source, options), { signal: options.signal });
    return file;
  } catch (error) {
    await file?.close();
    const { syscall, message } = error as NodeJS.ErrnoException;
    // Errors of reading the manifest have their own messages.
    if (syscall === undefined || syscall === 'read') throw error;
    throw new UnreachableAddress(name, `${hostname()} keeps no copy in ${tmpdir()}: ${message}`, error);
  }
}

/** A file without a name disappears with the process: it may contain signed addresses. */
async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'segue-manifest-'));
  try {
    return await open(path.join(folder, 'copy'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true });
  }
}
