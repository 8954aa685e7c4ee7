/** The files that the results of a batch point to, each in its item's name. */
import { type BatchItemResult } from '../../contract';
import { digest } from '../../platform/digest';
import { inOrderFrom } from '../../platform/parallel';
import { type FilePlace, preparePlace, type SavedFile, saveFilesOf } from '../files';

/** `files` of an item that succeeded, and why there are none to save, if so. */
export type ResultWithFiles = BatchItemResult & { files?: SavedFile[]; unsaved?: string };

/** Results whose files are saved at a time. */
const AT_ONCE = 4;

/** In the order of the results. What cannot be saved keeps nothing else from being saved. */
export async function* savingFiles(
  results: AsyncIterable<BatchItemResult>,
  place: FilePlace,
): AsyncGenerator<ResultWithFiles> {
  await preparePlace(place);
  yield* inOrderFrom(AT_ONCE, results, async (result): Promise<ResultWithFiles> => {
    if (result.status !== 'succeeded') return result;
    const files = await saveFilesOf(result.info, fileName(result.key), place);
    return typeof files === 'string' ? { ...result, files: [], unsaved: files } : { ...result, files };
  });
}

const LONGEST_NAME = 120;

/** A key as any file system takes it, and no two keys alike: what is not as it was has a digest behind it. */
export function fileName(key: string): string {
  const safe = key
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^\./, '_')
    .slice(0, LONGEST_NAME);
  return safe === key ? key : `${safe}.${digest(key)}`;
}
