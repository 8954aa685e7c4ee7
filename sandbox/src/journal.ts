import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { UnusableFile } from './errors';

const LINE_BREAK = 0x0a;

/**
 * An append-only file of JSON lines. What `append` took is on the disk when `synced` resolves, so that what was
 * acknowledged survives kill -9; lines that arrive during one sync share the next.
 */
export class Journal<Line> {
  #waiting: string[] = [];
  /** Resolves after the last queued write. After one write fails, all later ones fail. */
  #synced = Promise.resolve();

  private constructor(
    private readonly file: FileHandle,
    /** Whether the file held nothing when it was opened. */
    readonly isNew: boolean,
  ) {}

  /** Opens the journal and hands every line in it to `replay`. */
  static async open<Line>(name: string, replay: (line: Line) => void): Promise<Journal<Line>> {
    await mkdir(path.dirname(path.resolve(name)), { recursive: true });
    const file = await open(name, 'a+');
    try {
      return new Journal<Line>(file, (await replayAll(file, name, replay)) === 0);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  append(line: Line): void {
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    if (this.#waiting.length > 1) return;
    this.#synced = this.#synced.then(() => this.#writeWaiting());
    // Callers of `synced` get the error; without one, nothing is rejected unhandled.
    this.#synced.catch(() => undefined);
  }

  /** Resolves when the disk holds everything appended so far; always rejects after the disk refused a line. */
  synced(): Promise<void> {
    return this.#synced;
  }

  async close(): Promise<void> {
    await this.#synced.catch(() => undefined);
    await this.file.close();
  }

  async #writeWaiting(): Promise<void> {
    try {
      await this.file.appendFile(this.#waiting.splice(0).join(''));
      await this.file.datasync();
    } catch (error) {
      // Memory and file differ from now on, so nothing more may be acknowledged.
      throw new Error('the journal cannot be written', { cause: error });
    }
  }
}

/** Cuts off an incomplete last line, and gives the number of complete lines. */
async function replayAll(file: FileHandle, name: string, replay: (line: never) => void): Promise<number> {
  let [lines, bytes] = [0, 0];
  const unusable = (): UnusableFile =>
    new UnusableFile(name, [
      `line ${lines + 1} was not written by this sandbox; move the file away to start with a new one`,
    ]);
  for await (const line of wholeLines(file)) {
    try {
      replay(JSON.parse(line.toString()) as never);
    } catch {
      throw unusable();
    }
    lines += 1;
    bytes += line.length + 1;
  }
  const { size } = await file.stat();
  // Without a complete line, the file may not be a journal.
  if (lines === 0 && size > 0) throw unusable();
  // What follows the last line break was being written when the process died, so it was never acknowledged.
  if (bytes < size) await file.truncate(bytes);
  return lines;
}

/** Piece by piece: a journal grows longer than any string can be. */
async function* wholeLines(file: FileHandle): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  for await (const piece of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = piece.indexOf(LINE_BREAK); to !== -1; to = piece.indexOf(LINE_BREAK, from)) {
      yield Buffer.concat([...begun, piece.subarray(from, to)]);
      begun = [];
      from = to + 1;
    }
    begun.push(piece.subarray(from));
  }
}
