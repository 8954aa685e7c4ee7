/** Where a manifest is: a file, stdin, or an address. */
import { constants, createReadStream } from 'node:fs';
import { access, type FileHandle, open, stat } from 'node:fs/promises';
import { type ProxySettings } from '../../config';
import { UnusableFileError } from '../../errors';
import { readAddress } from './address';
import { addressName, problemOfAddress } from './addressForm';
import { linesOf, type ManifestLine } from './lines';

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** What messages call it. */
export function manifestName(source: string): string {
  if (source === '-') return 'stdin';
  return ADDRESS.test(source) ? addressName(source) : source;
}

/** Why it cannot be read, as far as that is known before it is: an address is not asked. */
export async function problemsOfSource(source: string): Promise<string[]> {
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
  /** What `-` stands for; the default is the process's own. */
  stdin?: AsyncIterable<Uint8Array>;
  /** Stops reading. */
  signal?: AbortSignal;
}

/** Its lines, read while they are asked for; an error where it cannot be read to its end. */
export function manifestLines(source: string, options: ReadOptions = {}): AsyncGenerator<ManifestLine> {
  return linesOf(manifestChunks(source, options));
}

/** Its bytes, as they come. */
export function manifestChunks(
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

/** It can be read for as long as it is open, whatever becomes of its name. */
export async function openLocal(file: string): Promise<FileHandle> {
  return open(file).catch((error: unknown) => {
    throw unusable(file, error);
  });
}

function unusable(file: string, error: unknown): UnusableFileError {
  return new UnusableFileError(file, [wordsOf(error as NodeJS.ErrnoException)]);
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
