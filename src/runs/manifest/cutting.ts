/** Items in partitions, each the input of one run: the same items are cut in the same places each time. */
import { createHash } from 'node:crypto';
import {
  type BatchItem,
  type BatchManifest,
  LARGEST_PARTITION_BYTES,
  MOST_PARTITION_ITEMS,
  type PartitionFacts,
} from '../../contract';
import { digest } from '../../platform/digest';

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

/** Of the items in their order, however the lines are written that are blank or left out. */
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
