/** A manifest from its first reading to its hand-over: checked as a whole, then read once more. */
import { type BatchManifest } from '../../contract';
import { InvalidInputError } from '../../errors';
import { checkManifest, type CheckOptions, type ManifestCheck, type ManifestProblem } from './check';
import { type Partition } from './cutting';
import { readPartitions } from './handOver';
import { withManifest } from './rereadable';
import { type ReadOptions } from './source';

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
