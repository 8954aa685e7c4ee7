/** `segue batch results --download DIR --at POINTER`: what became of the files, in words. */
import { EXIT, type ExitCode } from '../exit';
import { say } from '../print';
import { type ResultWithFiles } from '../../client/files';

export class FileTally {
  readonly #counts = { saved: 0, exists: 0, failed: 0 };
  /** Items whose results point to no file; asking again would not change that. */
  #without = 0;

  /** What could not be saved is said at once. */
  note({ key, files = [], unsaved }: ResultWithFiles): void {
    if (unsaved !== undefined) {
      this.#without += 1;
      say(`${key}: --${unsaved}`);
    }
    for (const { status, url, error } of files) {
      this.#counts[status] += 1;
      if (status === 'failed') say(`${key}: ${url} could not be saved: ${error ?? ''}`);
    }
  }

  finish(): ExitCode {
    const { saved, exists, failed } = this.#counts;
    const without = this.#without > 0 ? `; ${this.#without} items have none to save` : '';
    say(`${saved} files saved, ${exists} were there, ${failed} could not be saved${without}`);
    if (failed > 0) say('The same command tries those again that are not there.');
    return failed + this.#without === 0 ? EXIT.done : EXIT.failed;
  }
}
