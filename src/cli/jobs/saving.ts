/** `--out DIR --at POINTER`: saves the files that a result points to. */
import { mkdir } from 'node:fs/promises';
import { type Command } from 'commander';
import { isPointer, valueAt } from '../../api/pointer';
import { briefly, whatIsThere } from '../../api/there';
import { loadProxySettings } from '../../config';
import { inParallel } from '../../parallel';
import { type JobReport } from '../../client/report';
import { word } from '../commandLine';
import { EXIT, type ExitCode, UsageError } from '../exit';

export interface SaveFlags {
  out?: string;
  at?: string;
}

export interface SavedFile {
  url: string;
  status: 'saved' | 'exists' | 'failed';
  path: string | null;
  error: string | null;
}

export interface Saving {
  files: SavedFile[];
  /** What keeps it from being all, in words. */
  problem: string | null;
  exitCode: ExitCode;
}

const MOST_FILES = 1_000;
const AT_ONCE = 4;

export function addSaveFlags(command: Command): Command {
  return command
    .option('--out <dir>', 'save the files that the result points to in this folder')
    .option('--at <pointer>', 'where in `info` their URLs are, as a JSON pointer, like /images');
}

/** `flag` names the folder. */
export function problemsOfSaving({ out, at }: SaveFlags, flag = '--out'): string[] {
  if (out === undefined && at === undefined) return [];
  return [
    ...(out === undefined ? [`--at: says where URLs are; give ${flag}, the folder to save them in`] : []),
    ...(at === undefined
      ? [`${flag}: needs --at, the JSON pointer to the URLs in \`info\`, like /images`]
      : []),
    ...(at === undefined || isPointer(at) ? [] : [`--at: "${at}" is not a JSON pointer, like /images`]),
  ];
}

/** Before anything is sent: a result must not be paid for and then have no place. */
export async function prepareFolder({ out }: SaveFlags, flag = '--out'): Promise<void> {
  if (out === undefined) return;
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${flag} ${out}: cannot be used as a folder: ${reason}`);
  });
}

export async function saveFiles({ key, info }: JobReport, { out, at }: Required<SaveFlags>): Promise<Saving> {
  const files = await saveAll(info, key, { out, at });
  if (typeof files === 'string') return { files: [], problem: files, exitCode: EXIT.wrongInput };
  const failed = files.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return { files, problem: null, exitCode: EXIT.done };
  const problem =
    `The job succeeded, but ${failed.length} of ${files.length} files could not be saved. ` +
    `To try again: segue media follow ${word(key)} --out ${word(out)} --at ${word(at)}`;
  return { files, problem, exitCode: EXIT.failed };
}

/** What stands at the pointer, as `NAME-1`, `NAME-2`, and so on; in words, why there is nothing to save. */
export async function saveAll(
  info: unknown,
  name: string,
  { out, at }: Required<SaveFlags>,
): Promise<SavedFile[] | string> {
  const urls = urlsAt(info, at);
  if (typeof urls === 'string') return urls;
  const proxy = loadProxySettings();
  const { download } = await import('../../download.js');
  return inParallel(AT_ONCE, [...urls.entries()], async ([index, url]): Promise<SavedFile> => {
    try {
      const { path, existed } = await download(url, out, `${name}-${index + 1}`, proxy);
      return { url, status: existed ? 'exists' : 'saved', path, error: null };
    } catch (error) {
      return {
        url,
        status: 'failed',
        path: null,
        error: error instanceof Error ? error.message : String(error),
      };
    }
  });
}

/** A URL, a list of URLs, or objects with a `url`; else, in words, why there are none. */
function urlsAt(info: unknown, at: string): string[] | string {
  const found = valueAt(info, at);
  if (found === undefined)
    return `--at ${at}: there is nothing in the result. ${whatIsThere(info, at, '`info`')}`;
  const items: unknown[] = Array.isArray(found) ? found : [found];
  const urls = items.map((item) => (typeof item === 'string' ? item : valueAt(item, '/url')));
  const isComplete = urls.every((url) => typeof url === 'string');
  if (!isComplete || urls.length === 0)
    return `--at ${at}: must be a URL, a list of URLs, or objects with a url. There is ${briefly(found)}`;
  if (urls.length > MOST_FILES) return `--at ${at}: has ${urls.length} URLs, more than ${MOST_FILES}`;
  return urls;
}
