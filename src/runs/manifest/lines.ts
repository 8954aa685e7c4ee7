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
  let line = 0;
  // Of the unfinished line; without parts once it is too long.
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length > ROOM) parts = [];
    else parts.push(part);
  };
  const finish = (): ManifestLine | undefined => {
    line += 1;
    const finished = readLine(line, length, parts);
    parts = [];
    length = 0;
    return finished;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const finished = finish();
      if (finished) yield finished;
    }
    add(chunk.subarray(start));
  }
  const last = finish();
  if (last) yield last;
}

function readLine(line: number, length: number, parts: Uint8Array[]): ManifestLine | undefined {
  const own = length > ROOM ? undefined : withoutEnds(Buffer.concat(parts, length), line);
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
