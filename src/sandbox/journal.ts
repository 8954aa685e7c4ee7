import { type FileHandle, mkdir, open, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { UnusableFileError } from '../errors';

/**
 * An append-only file of JSON lines. What `append` took is on the disk when `synced` resolves, so that what was
 * acknowledged survives kill -9; lines that arrive during one sync share the next.
 */
export class Journal<Line> {
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #broken: Error | undefined;

  private constructor(
    private readonly file: FileHandle,
    /** Whether the file held nothing when it was opened. */
    readonly isNew: boolean,
  ) {}

  /** Opens the journal and hands every line in it to `replay`. */
  static async open<Line>(name: string, replay: (line: Line) => void): Promise<Journal<Line>> {
    await mkdir(path.dirname(path.resolve(name)), { recursive: true });
    const text = await readFile(name, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    });
    const complete = text.slice(0, text.lastIndexOf('\n') + 1);
    complete.split('\n').forEach((line, index) => {
      try {
        if (line) replay(JSON.parse(line) as Line);
      } catch {
        const problem = `line ${index + 1} is none that this sandbox wrote; move the file away to start anew`;
        throw new UnusableFileError(name, [problem]);
      }
    });
    // What follows the last line break was being written when the process died, so nobody was told of it.
    if (complete.length < text.length) await truncate(name, Buffer.byteLength(complete));
    return new Journal<Line>(await open(name, 'a'), complete === '');
  }

  append(line: Line): void {
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when the disk holds everything appended so far; rejects for good once the disk refused a line. */
  async synced(): Promise<void> {
    await this.#writing;
    if (this.#broken) throw this.#broken;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#broken) {
      const lines = this.#waiting.splice(0);
      try {
        await this.file.appendFile(lines.join(''));
        await this.file.datasync();
      } catch (error) {
        // What is in memory is no longer what the file holds: nothing may be acknowledged from here on.
        this.#broken = new Error('the journal cannot be written', { cause: error });
      }
    }
    this.#writing = undefined;
  }
}
