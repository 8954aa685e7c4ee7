/**
 * A manifest in partitions, each the input of one run. Checking and handing over both read it here, so that a manifest
 * has the same partitions each time.
 */
import { createHash, hash } from 'node:crypto';
import {
  type BatchItem,
  type BatchManifest,
  LARGEST_PARTITION_BYTES,
  MOST_PARTITION_ITEMS,
  type PartitionFacts,
} from '../../contract';
import { digest } from '../../platform/digest';
import { readItem } from './item';
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

export interface PlacedItem {
  line: number;
  item: BatchItem;
  isNamed: boolean;
}

export interface BadLine {
  line: number;
  problems: string[];
  /** Its only problem is that another line asks for the same job. */
  isDuplicate: boolean;
}

export interface Watch {
  /** Called for a bad line, which is in no partition. An error that it throws ends the reading. */
  onBad: (bad: BadLine) => void;
  onItem?: (item: PlacedItem) => void;
}

export function partitionsOf(lines: AsyncIterable<ManifestLine>, watch: Watch): AsyncGenerator<Partition> {
  return inPartitions(goodItems(lines, watch));
}

async function* goodItems(
  lines: AsyncIterable<ManifestLine>,
  { onBad, onItem }: Watch,
): AsyncGenerator<PlacedItem> {
  const seen = new SeenKeys();
  for await (const line of lines) {
    const read = readPlaced(line, seen);
    if ('problems' in read) {
      onBad(read);
      continue;
    }
    onItem?.(read);
    yield read;
  }
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

/** The same items give the same partitions each time. */
export async function* inPartitions(
  items: AsyncIterable<Pick<PlacedItem, 'line' | 'item'>>,
): AsyncGenerator<Partition> {
  let open = new OpenPartition(1, 0);
  for await (const item of items) {
    const json = JSON.stringify(item.item);
    if (!open.takes(json)) {
      yield open.close();
      open = open.next();
    }
    open.add(item, json);
  }
  if (open.size > 0) yield open.close();
}

export function factsOf({ items, lines, digest: ofItems }: Partition): PartitionFacts {
  return { items: items.length, firstLine: lines[0] ?? 0, digest: ofItems };
}

/** Of the items in their order; blank lines and bad lines do not count. */
export function manifestOf(partitions: PartitionFacts[]): BatchManifest {
  return {
    digest: digest(partitions.map((partition) => partition.digest)),
    items: partitions.reduce((total, { items }) => total + items, 0),
    partitions,
  };
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

  add({ item, line }: Pick<PlacedItem, 'line' | 'item'>, json: string): void {
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

/**
 * 72 bits: among a million keys, two that differ look the same once in ten thousand million manifests. A longer slice
 * would keep the whole text alive that it was cut from, and take three times the memory.
 */
const SHORT = 12;

export function shortKey(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, SHORT);
}

export class SeenKeys {
  readonly #lines = new Map<string, number>();

  /** The earlier line with this key, if there is one. */
  take(key: string, line: number): number | undefined {
    const short = shortKey(key);
    const earlier = this.#lines.get(short);
    if (earlier === undefined) this.#lines.set(short, line);
    return earlier;
  }
}
