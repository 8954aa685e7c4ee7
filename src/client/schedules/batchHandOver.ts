/** Reads the manifest of a scheduled batch, checks the whole of it, and hands it over. */
import { type Client } from '@temporalio/client';
import { shorten } from '../../api/errors';
import { type ProxySettings } from '../../config';
import { InvalidInputError } from '../../errors';
import { BatchesClient, type BatchPartition } from '../batches';
import { type ManifestCheck } from '../batches/manifest';
import { type StartSettings } from '../keyed';
import { type AskedBatch, type StartedBatch } from './batchThere';

export interface HandOverSettings extends StartSettings {
  /** The same in every attempt of a firing, and in no other firing. */
  token?: string;
  proxy?: ProxySettings;
  /** Told, when the manifest was read, what in it may not be meant so. */
  onWarning?: (words: string) => void;
  /** Whoever does it has to stop; what is there by then stays. */
  signal?: AbortSignal;
}

export async function handOverBatch(
  temporal: Client,
  { manifest: address, skipBad, ...asked }: AskedBatch,
  { token, proxy = {}, onWarning, signal, ...settings }: HandOverSettings,
): Promise<StartedBatch> {
  // Only whoever reads manifests needs it.
  const { withCheckedManifest } = await import('../batches/manifest/index.js');
  let warnings: string[] = [];
  const onCheck = (_name: string, check: ManifestCheck): void => {
    warnings = check.warnings.map(({ line, words }) => shorten(`line ${line}: ${words}`, LONGEST_TOLD));
    for (const words of warnings) onWarning?.(words);
  };
  const reading = { skipBad, proxy, signal, onCheck, refusal: unusable };
  return withCheckedManifest(address, reading, async ({ name, manifest, partitions }) => {
    const spec = { ...asked, manifest, partitions: untilAborted(partitions, signal), source: name };
    const batch = await new BatchesClient(temporal, settings).start(spec, { token });
    const { key, runId, existing, startedAt: startTime, taskQueue } = batch;
    return { key, runId, existing, startTime, taskQueue, digest: manifest.digest, warnings };
  });
}

async function* untilAborted(
  partitions: AsyncIterable<BatchPartition>,
  signal: AbortSignal | undefined,
): AsyncGenerator<BatchPartition> {
  for await (const partition of partitions) {
    signal?.throwIfAborted();
    yield partition;
  }
}

/** As much as a history should keep, and a person reads. */
const MOST_TOLD = 20;
const LONGEST_TOLD = 300;

function unusable(name: string, { problems, badLines, items, excess }: ManifestCheck): InvalidInputError {
  const told = [...(excess ? [excess] : []), ...problems].flatMap(({ line, problems: wrong }) =>
    wrong.map((problem) => shorten(`line ${line}: ${problem}`, LONGEST_TOLD)),
  );
  const rest = told.length > MOST_TOLD || badLines > problems.length;
  return new InvalidInputError(
    [
      ...(items + badLines > 0 ? told.slice(0, MOST_TOLD) : ['it is empty']),
      ...(rest ? [`and more, in ${badLines} bad lines in all: segue batch check tells them`] : []),
    ],
    `Nothing was submitted: the manifest ${name} cannot be run`,
  );
}
