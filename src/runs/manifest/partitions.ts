/**
 * A manifest in partitions, each the input of one run. Checking and handing over both read it here, so that a manifest
 * has the same partitions each time.
 */
import { hash } from 'node:crypto';
import {
  type BatchItem,
  type BatchManifest,
  LARGEST_PARTITION_BYTES,
  MOST_PARTITION_ITEMS,
  type PartitionFacts,
} from '../../contract';
import { digest } from '../../platform/digest';
import { type BatchPartition } from '../batch/handOver';
import { type AskedItem, readItem } from './item';
import { type ManifestLine } from './lines';

export interface Partition extends BatchPartition {
  firstLine: number;
  /** Of the items' JSON. */
  digest: string;
}

export interface PlacedItem extends AskedItem {
  line: number;
}

export interface BadLine {
  line: number;
  problems: string[];
  /** Its only problem is that another line asks for the same job. */
  isDuplicate: boolean;
}

/** The good lines; `look` sees the others too. */
export async function* goodItems(
  lines: AsyncIterable<ManifestLine>,
  look?: (read: PlacedItem | BadLine) => void,
): AsyncGenerator<PlacedItem> {
  const seen = new SeenKeys();
  for await (const line of lines) {
    const read = readPlaced(line, seen);
    look?.(read);
    if (!('problems' in read)) yield read;
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

/** Brackets around a list, and a comma after each item. */
const BRACKETS = 2;
const COMMA = 1;

/** The same items give the same partitions each time. */
export async function* inPartitions(
  placed: AsyncIterable<Pick<PlacedItem, 'line' | 'item'>>,
): AsyncGenerator<Partition> {
  let open = { n: 1, firstItem: 0, firstLine: 0, items: [] as BatchItem[] };
  let texts: string[] = [];
  let bytes = BRACKETS;
  for await (const { item, line } of placed) {
    const { n, firstItem, items } = open;
    const text = JSON.stringify(item);
    const more = Buffer.byteLength(text) + COMMA;
    const isFull = items.length === MOST_PARTITION_ITEMS || bytes + more > LARGEST_PARTITION_BYTES;
    if (isFull && items.length > 0) {
      yield { ...open, digest: digestOf(texts) };
      open = { n: n + 1, firstItem: firstItem + items.length, firstLine: 0, items: [] };
      texts = [];
      bytes = BRACKETS;
    }
    if (open.items.push(item) === 1) open.firstLine = line;
    texts.push(text);
    bytes += more;
  }
  if (texts.length > 0) yield { ...open, digest: digestOf(texts) };
}

const DIGEST_LENGTH = 16;

function digestOf(texts: string[]): string {
  return hash('sha256', texts.map((text) => `${text}\n`).join(''), 'base64url').slice(0, DIGEST_LENGTH);
}

export function factsOf({ items, firstLine, digest: ofItems }: Partition): PartitionFacts {
  return { items: items.length, firstLine, digest: ofItems };
}

/** Of the items in their order; blank lines and bad lines do not count. */
export function manifestOf(partitions: PartitionFacts[]): BatchManifest {
  return {
    digest: digest(partitions.map((partition) => partition.digest)),
    items: partitions.reduce((total, { items }) => total + items, 0),
    partitions,
  };
}

/**
 * 72 bits: among a million keys, two that differ look the same once in ten thousand million manifests. A longer slice
 * would keep the whole text alive that it was cut from, and take three times the memory.
 */
const SHORT = 12;

export class SeenKeys {
  readonly #lines = new Map<string, number>();

  take(key: string, line: number): number | undefined {
    const short = hash('sha256', key, 'base64url').slice(0, SHORT);
    const earlier = this.#lines.get(short);
    if (earlier === undefined) this.#lines.set(short, line);
    return earlier;
  }
}
