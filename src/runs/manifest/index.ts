/** Manifests: checked as a whole, then read once more and handed over in partitions. */
import { type BatchManifest, MOST_PARTITIONS, type PartitionFacts } from '../../contract';
import { InvalidInput, ManifestChanged } from '../../errors';
import { type ManifestLine } from './lines';
import { factsOf, goodItems, inPartitions, manifestOf, type Partition } from './partitions';
import { type ReadOptions, withManifest } from './source';
import { type ManifestWarning, ManifestWarnings } from './warnings';

export { type Partition } from './partitions';
export { manifestLines, manifestName, validateSource } from './source';
export { type ManifestWarning } from './warnings';

export interface ManifestProblem {
  line: number;
  problems: string[];
}

export interface ManifestCheck {
  /** Whether it can be run: it has items, and no bad lines or ones that may be left out. */
  usable: boolean;
  /** Of the items in their order; blank lines and bad lines do not count. */
  digest: string;
  items: number;
  lines: number;
  /** Lines that have problems, those that ask for the same job as an earlier one included. */
  badLines: number;
  /** Bad lines whose only problem is a key that an earlier line has. */
  duplicates: number;
  partitions: PartitionFacts[];
  /** The first ones; `badLines` counts all bad lines. */
  problems: ManifestProblem[];
  warnings: ManifestWarning[];
}

export interface CheckOptions {
  skipBad?: boolean;
  /** How many partitions a batch may have; tests take fewer. */
  mostPartitions?: number;
}

/** As many problems as a person reads, and a history should keep. */
const MOST_LISTED = 20;

export async function checkManifest(
  lines: AsyncIterable<ManifestLine>,
  { skipBad = false, mostPartitions = MOST_PARTITIONS }: CheckOptions = {},
): Promise<ManifestCheck> {
  const problems: ManifestProblem[] = [];
  const partitions: PartitionFacts[] = [];
  const warnings = new ManifestWarnings();
  const counts = { badLines: 0, duplicates: 0 };
  const good = goodItems(lines, (read) => {
    if (!('problems' in read)) {
      warnings.look(read);
      return;
    }
    const { line, problems: wrong, isDuplicate } = read;
    counts.badLines += 1;
    if (isDuplicate) counts.duplicates += 1;
    if (problems.length < MOST_LISTED) problems.push({ line, problems: wrong });
  });
  for await (const partition of inPartitions(good)) partitions.push(factsOf(partition));

  const { digest, items } = manifestOf(partitions);
  const read = items + counts.badLines;
  const ofWhole = problemOfWhole(read, partitions, mostPartitions);
  return {
    usable: items > 0 && (skipBad || counts.badLines === 0) && !ofWhole,
    ...{ digest, items, lines: read, ...counts, partitions },
    problems: ofWhole ? [ofWhole, ...problems] : problems,
    warnings: warnings.list(),
  };
}

/** Nothing of a manifest that is too long is started. */
function problemOfWhole(
  lines: number,
  partitions: PartitionFacts[],
  most: number,
): ManifestProblem | undefined {
  if (lines === 0) return { line: 1, problems: ['the manifest is empty: it has no line to run'] };
  const first = partitions[most];
  if (!first) return undefined;
  const problem =
    `the manifest is too long: it needs ${partitions.length} partitions, and a batch has at most ${most}; ` +
    'split it before this line, or earlier, and start each part with a key of its own';
  return { line: first.firstLine, problems: [problem] };
}

/** `name:line: problem`, as editors and terminals recognize it. */
export function problemLines(name: string, { problems, badLines }: ManifestCheck): string[] {
  const lines = problems.flatMap(({ line, problems: wrong }) =>
    wrong.map((problem) => `${name}:${line}: ${problem}`),
  );
  const isAll = lines.length <= MOST_LISTED && badLines <= problems.length;
  return isAll ? lines : [...lines.slice(0, MOST_LISTED), `and more, in ${badLines} bad lines in all`];
}

interface HandOverOptions {
  name?: string;
  /** What the check found: a file may be written to between the two readings. */
  facts?: PartitionFacts[];
  signal?: AbortSignal;
}

/** The partitions that the check found, or an error if the manifest has changed. */
export async function* readPartitions(
  lines: AsyncIterable<ManifestLine>,
  { name = 'manifest', facts, signal }: HandOverOptions = {},
): AsyncGenerator<Partition> {
  let count = 0;
  for await (const partition of inPartitions(goodItems(lines))) {
    if (facts && facts[count]?.digest !== partition.digest) throw changed(name);
    signal?.throwIfAborted();
    count += 1;
    yield partition;
  }
  if (facts && facts.length > count) throw changed(name);
}

function changed(name: string): ManifestChanged {
  return new ManifestChanged([
    `${name}: it was changed after it was checked`,
    'What was handed over continues, and the batch waits for the rest: start it again with the manifest as it was',
    'If that is lost, cancel the batch and use another key: then every item is run and paid for again',
  ]);
}

interface CheckedManifest {
  name: string;
  check: ManifestCheck;
  manifest: BatchManifest;
  partitions: AsyncIterable<Partition>;
}

export function withCheckedManifest<T>(
  source: string,
  { skipBad, mostPartitions, ...options }: ReadOptions & CheckOptions,
  work: (checked: CheckedManifest) => Promise<T>,
): Promise<T> {
  return withManifest(source, options, async ({ name, lines }) => {
    const check = await checkManifest(lines(), { skipBad, mostPartitions });
    if (!check.usable) throw new InvalidInput(problemLines(name, check), 'The batch was not started');
    const { digest, items, partitions: facts } = check;
    const reading = { name, facts, signal: options.signal };
    const partitions = { [Symbol.asyncIterator]: () => readPartitions(lines(), reading) };
    return work({ name, check, manifest: { digest, items, partitions: facts }, partitions });
  });
}
