import { type FileHandle, mkdir, open, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';

/**
 * An append-only file of JSON lines. `append` resolves when its line is on the disk, so that what was acknowledged
 * survives kill -9; lines that arrive during one sync share the next.
 */
export class Journal<Event> {
  #waiting: { line: string; done: () => void; failed: (error: unknown) => void }[] = [];
  #writing: Promise<void> | undefined;

  private constructor(private readonly file: FileHandle) {}

  /** Opens the journal and hands every event in it to `replay`. */
  static async open<Event>(name: string, replay: (event: Event) => void): Promise<Journal<Event>> {
    await mkdir(path.dirname(path.resolve(name)), { recursive: true });
    const text = await readFile(name, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    });
    const complete = text.slice(0, text.lastIndexOf('\n') + 1);
    for (const line of complete.split('\n')) if (line) replay(JSON.parse(line) as Event);
    // What follows the last line break was being written when the process died, so nobody was told of it.
    if (complete.length < text.length) await truncate(name, Buffer.byteLength(complete));
    return new Journal<Event>(await open(name, 'a'));
  }

  append(event: Event): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ line: `${JSON.stringify(event)}\n`, done, failed });
      this.#writing ??= this.#writeAll();
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.file.appendFile(batch.map(({ line }) => line).join(''));
        await this.file.datasync();
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = undefined;
  }
}
