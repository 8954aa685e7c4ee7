/** The second reading of a manifest, after it was checked: what is in it goes to the runs, partition by partition. */
import { InvalidInputError } from '../../../errors';
import { type Partition } from './cutting';
import { type ManifestLine } from './lines';
import { type BadLine, partitionsOf } from './partitions';

export interface HandOverOptions {
  /** As it was checked. */
  skipBad?: boolean;
  /** What messages call the manifest. */
  name?: string;
}

/** With the boundaries that the check found. A bad line that may not be left out ends it, with an error that names it. */
export function readPartitions(
  lines: AsyncIterable<ManifestLine>,
  { skipBad = false, name = 'manifest' }: HandOverOptions = {},
): AsyncGenerator<Partition> {
  const onBad = ({ line, problems }: BadLine): void => {
    if (skipBad) return;
    throw new InvalidInputError(
      problems.map((problem) => `${name}:${line}: ${problem}`),
      'The manifest has a bad line',
    );
  };
  return partitionsOf(lines, { onBad });
}
