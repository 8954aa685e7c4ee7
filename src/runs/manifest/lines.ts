/** The lines of a manifest, one at a time: however long it is, no more than a line of it is kept. */
import { isUtf8 } from 'node:buffer';
import { LARGEST_LINE_BYTES } from '../../contract';

/** A line that says something, with its number from 1. One that cannot be read has a problem in place of a text. */
export type ManifestLine = { line: number; text: string } | { line: number; problem: string };

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** What may stand around a line without being a part of it: a byte order mark and a carriage return. */
const ROOM = LARGEST_LINE_BYTES + BYTE_ORDER_MARK.length + 1;

/** Blank lines say nothing and are left out, but they have numbers like the others. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ManifestLine> {
  const unfinished = new UnfinishedLine();
  let line = 0;
  const finish = (): ManifestLine | undefined => {
    line += 1;
    return readLine(line, unfinished.take());
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      unfinished.add(chunk.subarray(start, end));
      start = end + 1;
      const finished = finish();
      if (finished) yield finished;
    }
    unfinished.add(chunk.subarray(start));
  }
  const last = finish();
  if (last) yield last;
}

/** What has arrived of a line; without its bytes, once it is longer than a line may be. */
interface LineBytes {
  length: number;
  bytes?: Buffer;
}

class UnfinishedLine {
  #parts: Uint8Array[] = [];
  #length = 0;

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > ROOM) this.#parts = [];
    else this.#parts.push(part);
  }

  take(): LineBytes {
    const length = this.#length;
    const bytes = length > ROOM ? undefined : Buffer.concat(this.#parts, length);
    this.#parts = [];
    this.#length = 0;
    return { length, bytes };
  }
}

function readLine(line: number, { length, bytes }: LineBytes): ManifestLine | undefined {
  const own = bytes && withoutEnds(bytes, line);
  if (!own || own.length > LARGEST_LINE_BYTES) {
    return { line, problem: `has ${own?.length ?? length} bytes, more than ${LARGEST_LINE_BYTES}` };
  }
  if (!isUtf8(own)) return { line, problem: 'is not UTF-8' };
  const text = own.toString('utf8');
  return text.trim() === '' ? undefined : { line, text };
}

function withoutEnds(bytes: Buffer, line: number): Buffer {
  const isMarked = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return bytes.subarray(
    isMarked ? BYTE_ORDER_MARK.length : 0,
    bytes.at(-1) === CARRIAGE_RETURN ? -1 : bytes.length,
  );
}
