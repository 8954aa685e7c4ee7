/**
 * A manifest in partitions, each the input of one run. Checking and handing over both read it here, so that a manifest
 * has the same partitions each time.
 */
import { createHash } from 'node:crypto';
import { type BatchItem, LARGEST_PARTITION_BYTES, MOST_PARTITION_ITEMS } from '../../../contract';
import { readItem } from './item';
import { SeenKeys } from './keys';
import { type ManifestLine } from './lines';

export interface Partition {
  /** From 1. */
  n: number;
  /** The number of its first item among all, from 0. */
  firstItem: number;
  items: BatchItem[];
  /** The line of each item. */
  lines: number[];
  /** Of the items' JSON. */
  digest: string;
}

/** An item, and what tells about it that is not in it. */
export interface PlacedItem {
  line: number;
  item: BatchItem;
  isNamed: boolean;
}

export interface BadLine {
  line: number;
  problems: string[];
  /** Nothing is wrong with it but that another line asks for the same job. */
  isDuplicate: boolean;
}

export interface Watch {
  /** A line that is in no partition. What it throws ends the reading. */
  onBad: (bad: BadLine) => void;
  onItem?: (item: PlacedItem) => void;
}

/** Of the good lines; the others are told and left out. */
export async function* partitionsOf(
  lines: AsyncIterable<ManifestLine>,
  { onBad, onItem }: Watch,
): AsyncGenerator<Partition> {
  const seen = new SeenKeys();
  let open = new OpenPartition(1, 0);
  for await (const line of lines) {
    const read = readPlaced(line, seen);
    if ('problems' in read) {
      onBad(read);
      continue;
    }
    onItem?.(read);
    const json = JSON.stringify(read.item);
    if (!open.takes(json)) {
      yield open.close();
      open = open.next();
    }
    open.add(read, json);
  }
  if (open.size > 0) yield open.close();
}

function readPlaced(read: ManifestLine, seen: SeenKeys): PlacedItem | BadLine {
  const { line } = read;
  if ('problem' in read) return { line, problems: [read.problem], isDuplicate: false };
  const asked = readItem(read.text);
  if ('problems' in asked) return { line, problems: asked.problems, isDuplicate: false };
  const earlier = seen.take(asked.item.key, line);
  if (earlier === undefined) return { line, ...asked };
  const { item, isNamed } = asked;
  const problem = isNamed
    ? `key: "${item.key}" is that of line ${earlier}, too`
    : `asks for the same as line ${earlier}; where both are meant, give each a key`;
  return { line, problems: [problem], isDuplicate: true };
}

const DIGEST_LENGTH = 16;
/** Brackets around a list, and a comma after each item. */
const BRACKETS = 2;
const COMMA = 1;

class OpenPartition {
  readonly #items: BatchItem[] = [];
  readonly #lines: number[] = [];
  readonly #hash = createHash('sha256');
  #bytes = BRACKETS;

  constructor(
    readonly n: number,
    readonly firstItem: number,
  ) {}

  get size(): number {
    return this.#items.length;
  }

  takes(json: string): boolean {
    const bytes = this.#bytes + Buffer.byteLength(json) + COMMA;
    return this.size === 0 || (this.size < MOST_PARTITION_ITEMS && bytes <= LARGEST_PARTITION_BYTES);
  }

  add({ item, line }: PlacedItem, json: string): void {
    this.#items.push(item);
    this.#lines.push(line);
    this.#hash.update(json).update('\n');
    this.#bytes += Buffer.byteLength(json) + COMMA;
  }

  close(): Partition {
    const { n, firstItem } = this;
    const digest = this.#hash.digest('base64url').slice(0, DIGEST_LENGTH);
    return { n, firstItem, items: this.#items, lines: this.#lines, digest };
  }

  next(): OpenPartition {
    return new OpenPartition(this.n + 1, this.firstItem + this.size);
  }
}
