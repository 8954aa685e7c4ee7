/** `segue batch results --download DIR --at POINTER`: the files that results point to, each in its item's name. */
import { type BatchItemResult } from '../../contract';
import { digest } from '../../digest';
import { EXIT, type ExitCode } from '../exit';
import { prepareFolder, saveAll, type SavedFile } from '../jobs/saving';
import { say } from '../print';

export interface Place {
  /** The folder. */
  out: string;
  /** Where in `info` the URLs are. */
  at: string;
}

export type ResultWithFiles = BatchItemResult & { files?: SavedFile[] };

/** Saves the files of one result after the other, and knows what became of all. */
export class FileSaver {
  readonly #counts = { saved: 0, exists: 0, failed: 0 };

  private constructor(private readonly place: Place) {}

  static async into(place: Place): Promise<FileSaver> {
    await prepareFolder(place, '--download');
    const { removeLeftParts } = await import('../../download.js');
    await removeLeftParts(place.out);
    return new FileSaver(place);
  }

  /** What cannot be saved is said at once, and keeps nothing else from being saved. */
  async save(result: BatchItemResult): Promise<ResultWithFiles> {
    if (result.status !== 'succeeded') return result;
    const files = await saveAll(result.info, fileName(result.key), this.place);
    if (typeof files === 'string') {
      this.#counts.failed += 1;
      say(`${result.key}: ${files}`);
      return { ...result, files: [] };
    }
    for (const { status, url, error } of files) {
      this.#counts[status] += 1;
      if (status === 'failed') say(`${result.key}: ${url} could not be saved: ${error ?? ''}`);
    }
    return { ...result, files };
  }

  finish(): ExitCode {
    const { saved, exists, failed } = this.#counts;
    say(`${saved} files saved, ${exists} were there, ${failed} could not be saved`);
    if (failed === 0) return EXIT.done;
    say('The same command tries those again that are not there.');
    return EXIT.failed;
  }
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
