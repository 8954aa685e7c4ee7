/** A manifest from its first reading to its hand-over: checked as a whole, then read once more. */
import { type BatchManifest, MOST_PARTITIONS, type PartitionFacts } from '../../contract';
import { InvalidInputError, ManifestChangedError } from '../../errors';
import { type ManifestLine } from './lines';
import {
  type BadLine,
  factsOf,
  manifestOf,
  type Partition,
  partitionsOf,
  type PlacedItem,
} from './partitions';
import { type ReadOptions, withManifest } from './source';
import { FullProjects, type ManifestWarning, SignedWithoutKey, TakenPlaces } from './warnings';

export interface ManifestProblem {
  line: number;
  problems: string[];
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

export interface HandOverOptions {
  /** As it was checked. */
  skipBad?: boolean;
  /** What messages call the manifest. */
  name?: string;
  /** What the check found: a file may be written to between the two readings. */
  facts?: PartitionFacts[];
}

/** With the boundaries that the check found. A bad line that may not be left out ends it, with an error that names it. */
export async function* readPartitions(
  lines: AsyncIterable<ManifestLine>,
  { skipBad = false, name = 'manifest', facts }: HandOverOptions = {},
): AsyncGenerator<Partition> {
  let count = 0;
  const onBad = ({ line, problems }: BadLine): void => {
    if (skipBad) return;
    // The check would have found it.
    if (facts) throw changed(name, facts[count]?.firstLine ?? line);
    throw new InvalidInputError(
      problems.map((problem) => `${name}:${line}: ${problem}`),
      'The manifest has a bad line',
    );
  };
  for await (const partition of partitionsOf(lines, { onBad })) {
    if (facts && facts[count]?.digest !== partition.digest) throw changed(name, partition.lines[0]);
    count += 1;
    yield partition;
  }
  if (facts && facts.length > count) throw changed(name, facts[count]?.firstLine);
}

function changed(name: string, line = 1): ManifestChangedError {
  return new ManifestChangedError([
    `${name}: from line ${line} on it is not what was checked: it was changed meanwhile`,
    'What was handed over goes on, and the batch waits for the rest: start it again with the manifest as it was',
    'Where that is gone: cancel the batch, and take another key, under which every item is run, and paid for, anew',
  ]);
}

export interface ManifestOptions extends ReadOptions, Pick<CheckOptions, 'skipBad' | 'mostPartitions'> {
  /** Told what was found, usable or not. */
  onCheck?: (name: string, check: ManifestCheck) => void;
  /** What is thrown where no batch can be made of it. */
  refusal?: (name: string, check: ManifestCheck) => Error;
}

/** What a batch is made of. */
export interface CheckedManifest {
  /** What messages call it. */
  name: string;
  manifest: BatchManifest;
  /** From the first on, each time; an error where they are not those that were checked. */
  partitions: AsyncIterable<Partition>;
}

/** Everything that is wrong is told before anything is done with it. */
export function withCheckedManifest<T>(
  source: string,
  { skipBad, mostPartitions, onCheck, refusal = refused, ...options }: ManifestOptions,
  work: (checked: CheckedManifest) => Promise<T>,
): Promise<T> {
  return withManifest(source, options, async ({ name, lines }) => {
    const check = await checkManifest(lines(), { skipBad, mostPartitions });
    onCheck?.(name, check);
    if (!check.usable) throw refusal(name, check);
    const { digest, items, partitions: facts } = check;
    const partitions = {
      [Symbol.asyncIterator]: () => readPartitions(lines(), { skipBad, name, facts }),
    };
    return work({ name, manifest: { digest, items, partitions: facts }, partitions });
  });
}

/** As editors and terminals find the place. */
export function problemLines(name: string, { line, problems }: ManifestProblem): string[] {
  return problems.map((problem) => `${name}:${line}: ${problem}`);
}

function refused(name: string, { problems, badLines, excess, items }: ManifestCheck): InvalidInputError {
  const told = [...(excess ? [excess] : []), ...problems].flatMap((problem) => problemLines(name, problem));
  const more = badLines - problems.length;
  return new InvalidInputError(
    [
      ...(items + badLines === 0 ? [`${name}: is empty`] : told),
      ...(more > 0 ? [`and ${more} more bad lines: segue batch check tells them all`] : []),
    ],
    'The batch was not started',
  );
}
