/** The lines of a manifest. No more than one line is in memory. */
import { isUtf8 } from 'node:buffer';
import { LARGEST_LINE_BYTES } from '../../contract';

/** A line that is not blank, with its number from 1; or the problem of a line that cannot be read. */
export type ManifestLine = { line: number; text: string } | { line: number; problem: string };

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** A line, and what may stand around it: a byte order mark and a carriage return. */
const ROOM = LARGEST_LINE_BYTES + BYTE_ORDER_MARK.length + 1;

/** Blank lines are left out, but counted. */
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

/** The bytes of a line; only its length, if it is too long. */
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
