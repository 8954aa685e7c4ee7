/** Saves the files that a result points to, each under the name of its job, and only complete ones. */
import { mkdir } from 'node:fs/promises';
import { isPointer, valueAt } from '../api/json';
import { describeValue, describeNearest } from '../api/errors';
import { loadProxySettings, type ProxySettings } from '../config';
import { InvalidInput, assertValid, reasonOf } from '../errors';
import { isLargeInfo } from '../api/condensed';
import { type BatchItemResult } from '../contract';
import { digest } from '../platform/digest';
import { inParallel } from '../platform/parallel';

export interface SavedFile {
  url: string;
  status: 'saved' | 'exists' | 'failed';
  path: string | null;
  error: string | null;
}

export interface DownloadTarget {
  into: string;
  /** Where in `info` the URLs are: a JSON pointer to a URL, a list of them, or objects with a `url`. */
  at: string;
  /** Default: from the environment. */
  proxy?: ProxySettings;
}

const MOST_FILES = 1_000;
const FILES_AT_ONCE = 4;

/** Saves the URLs at the pointer as `NAME-1`, `NAME-2`, and so on; or returns why there is nothing to save. */
export async function saveFilesOf(
  info: unknown,
  name: string,
  { into, at, proxy = loadProxySettings() }: DownloadTarget,
): Promise<SavedFile[] | string> {
  const urls = urlsAt(info, at);
  if (typeof urls === 'string') return urls;
  // Loaded only where something is saved.
  const { download } = await import('../platform/download.js');
  return inParallel(FILES_AT_ONCE, [...urls.entries()], async ([index, url]): Promise<SavedFile> => {
    try {
      const { path, existed } = await download(url, into, `${name}-${index + 1}`, proxy);
      return { url, status: existed ? 'exists' : 'saved', path, error: null };
    } catch (error) {
      return { url, status: 'failed', path: null, error: reasonOf(error) };
    }
  });
}

function urlsAt(info: unknown, at: string): string[] | string {
  if (isLargeInfo(info))
    return `at ${at}: the result has ${info.bytes} bytes, too many to keep. The service has it: ${info.fetch}`;
  const found = valueAt(info, at);
  if (found === undefined)
    return `at ${at}: there is nothing in the result. ${describeNearest(info, at, '`info`')}`;
  const items: unknown[] = Array.isArray(found) ? found : [found];
  const urls = items.map((item) => (typeof item === 'string' ? item : valueAt(item, '/url')));
  const isComplete = urls.every((url) => typeof url === 'string');
  if (!isComplete || urls.length === 0)
    return `at ${at}: must be a URL, a list of URLs, or objects with a url. There is ${describeValue(found)}`;
  if (urls.length > MOST_FILES) return `at ${at}: has ${urls.length} URLs, more than ${MOST_FILES}`;
  return urls;
}

/** `files` of an item with a result; `unsaved` says why there are no files. */
export type ResultWithFiles = BatchItemResult & { files?: SavedFile[]; unsaved?: string };

/** Results that are read before their files are saved, and how many are saved at a time. */
const [RESULTS_TOGETHER, RESULTS_AT_ONCE] = [16, 4];

/** In the order of the results. A file that cannot be saved does not stop the others. */
export async function* savingFiles(
  results: AsyncIterable<BatchItemResult>,
  target: DownloadTarget,
): AsyncGenerator<ResultWithFiles> {
  const { into, at } = target;
  assertValid(isPointer(at) ? [] : [`at: "${at}" is not a JSON pointer, like /images`], 'Nothing was saved');
  await prepareFolder(into);
  const save = async (result: BatchItemResult): Promise<ResultWithFiles> => {
    if (result.status !== 'succeeded' && result.status !== 'unsaved') return result;
    const files = await saveFilesOf(result.info, fileName(result.key), target);
    return typeof files === 'string' ? { ...result, files: [], unsaved: files } : { ...result, files };
  };
  let group: BatchItemResult[] = [];
  for await (const result of results) {
    if (group.push(result) < RESULTS_TOGETHER) continue;
    yield* await inParallel(RESULTS_AT_ONCE, group, save);
    group = [];
  }
  yield* await inParallel(RESULTS_AT_ONCE, group, save);
}

export async function prepareFolder(folder: string, name = 'into'): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    const problem = `${name}: ${folder} cannot be used as a folder: ${reasonOf(error)}`;
    throw new InvalidInput([problem], 'Nothing was done');
  });
}

const LONGEST_NAME = 120;

/** A key as a file name. A changed one gets a digest, so that no two keys have the same name. */
export function fileName(key: string): string {
  const safe = key
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^\./, '_')
    .slice(0, LONGEST_NAME);
  return safe === key ? key : `${safe}.${digest(key)}`;
}
