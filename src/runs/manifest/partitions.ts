/**
 * A manifest in partitions, each the input of one run. Checking and handing over both read it here, so that a manifest
 * has the same partitions each time.
 */
import { inPartitions, type Partition, type PlacedItem } from './cutting';
import { readItem } from './item';
import { SeenKeys } from './keys';
import { type ManifestLine } from './lines';

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
