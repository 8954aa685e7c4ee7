/** A whole manifest, looked at once before anything of it is handed over. */
import { MOST_PARTITIONS, type PartitionFacts } from '../../contract';
import { factsOf, manifestOf, type PlacedItem } from './cutting';
import { type ManifestLine } from './lines';
import { type BadLine, partitionsOf } from './partitions';
import { TakenPlaces } from './places';
import { FullProjects } from './projects';
import { looksSigned } from './signed';

export interface ManifestProblem {
  line: number;
  problems: string[];
}

export interface ManifestWarning {
  /** How many lines it is about. */
  count: number;
  /** The first of them. */
  line: number;
  words: string;
}

export interface ManifestCheck {
  /** Whether a batch can be made of it: it has items, and nothing is wrong or what is wrong may be left out. */
  usable: boolean;
  /** Of the items in their order, however the lines are written that are blank or left out. */
  digest: string;
  /** Good lines. */
  items: number;
  /** Lines that are not blank. */
  lines: number;
  /** Lines that have problems, those that ask for the same job as an earlier one included. */
  badLines: number;
  /** Bad lines with nothing wrong but that: the first line of a key is a good one. */
  duplicates: number;
  partitions: PartitionFacts[];
  /** The first ones; `badLines` counts them all. */
  problems: ManifestProblem[];
  /** That it is too much for one batch, with the first line that would be left over. */
  excess: ManifestProblem | null;
  warnings: ManifestWarning[];
}

export interface CheckOptions {
  /** Whether bad lines are left out, and the rest is used. */
  skipBad?: boolean;
  /** Told of every problem, also where there are more than a result holds. */
  onProblem?: (problem: ManifestProblem) => void;
  /** How many partitions a batch may have; tests take fewer. */
  mostPartitions?: number;
}

const MOST_KEPT = 100;

export async function checkManifest(
  lines: AsyncIterable<ManifestLine>,
  { skipBad = false, onProblem, mostPartitions = MOST_PARTITIONS }: CheckOptions = {},
): Promise<ManifestCheck> {
  const problems: ManifestProblem[] = [];
  const partitions: PartitionFacts[] = [];
  const watchers = [new SignedWithoutKey(), new TakenPlaces(), new FullProjects()];
  const counts = { items: 0, badLines: 0, duplicates: 0 };
  const tell = (problem: ManifestProblem): void => {
    onProblem?.(problem);
    if (problems.length < MOST_KEPT) problems.push(problem);
  };
  const onBad = ({ line, problems: wrong, isDuplicate }: BadLine): void => {
    counts.badLines += 1;
    if (isDuplicate) counts.duplicates += 1;
    tell({ line, problems: wrong });
  };
  const onItem = (item: PlacedItem): void => {
    counts.items += 1;
    for (const watcher of watchers) watcher.look(item);
  };
  for await (const partition of partitionsOf(lines, { onBad, onItem })) partitions.push(factsOf(partition));

  const { items, badLines } = counts;
  if (items + badLines === 0) tell({ line: 1, problems: ['the manifest is empty: it has no line to run'] });
  const excess = excessOf(partitions, mostPartitions);
  if (excess) onProblem?.(excess);
  return {
    usable: items > 0 && (skipBad || badLines === 0) && !excess,
    digest: manifestOf(partitions).digest,
    lines: items + badLines,
    ...counts,
    ...{ partitions, problems, excess },
    warnings: watchers.flatMap((watcher) => watcher.warnings()),
  };
}

/** Nothing of it is begun: half a manifest is not what was asked for. */
function excessOf(partitions: PartitionFacts[], most: number): ManifestProblem | null {
  const first = partitions[most];
  if (!first) return null;
  const words =
    `the manifest is too long: it needs ${partitions.length} partitions, and a batch has at most ${most}; ` +
    'split it before this line, or earlier, and start each part with a key of its own';
  return { line: first.firstLine, problems: [words] };
}

/** One warning for all of them: whoever signs addresses signs every one. */
class SignedWithoutKey {
  #count = 0;
  #first = 0;

  look({ item, line, isNamed }: PlacedItem): void {
    if (isNamed || !looksSigned(item.request)) return;
    this.#count += 1;
    if (this.#count === 1) this.#first = line;
  }

  warnings(): ManifestWarning[] {
    const count = this.#count;
    if (count === 0) return [];
    const who =
      count === 1 ? 'this line has no key, and an address' : `${count} lines have no key, and addresses`;
    const words =
      `${who} that ${count === 1 ? 'looks' : 'look'} signed: ` +
      'signed again, it is another job, which is run and paid for again; give each line a key';
    return [{ count, line: this.#first, words }];
  }
}
