/** The second reading of a manifest, after it was checked: what is in it goes to the runs, partition by partition. */
import { type PartitionFacts } from '../../contract';
import { InvalidInputError, ManifestChangedError } from '../../errors';
import { type Partition } from './cutting';
import { type ManifestLine } from './lines';
import { type BadLine, partitionsOf } from './partitions';

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
