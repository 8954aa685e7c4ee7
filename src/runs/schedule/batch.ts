/**
 * A batch that a firing starts. A worker reads its manifest, and may be killed at any moment: the next attempt goes on
 * with what is there. The manifest that was read first is the batch's. Where its address gives another one before all
 * was handed over, what was handed over goes on, because it is what was asked for and is partly paid for; the rest is
 * given up, because nobody has it any more; and the batch says so, to the operator too. Lines of the other manifest
 * are not taken instead: nobody could tell which of them were done.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { shorten } from '../../api/errors';
import { type ProxySettings } from '../../config';
import { type BatchInput, endHandOverSignal, type ScheduledBatch, START_MEMO } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import {
  InvalidInputError,
  KeyReusedError,
  ManifestNotKeptError,
  UnreachableAddressError,
} from '../../errors';
import { digest } from '../../platform/digest';
import { type BatchPartition, missingPartitions } from '../batch/handOver';
import { startBatch } from '../batch/start';
import { type ManifestCheck } from '../manifest';
import { addressName } from '../manifest/addressForm';
import { withoutGaps } from '../media';
import { retryUnavailable } from '../orders';
import { findOwnRun, isOpen } from '../ownRun';
import { inputOf, type RunFacts, type StartSettings } from '../start';

/** What a schedule asks for, under the key of one firing. */
export type AskedBatch = ScheduledBatch & { key: string };
/** Its run, the digest of its manifest and, of who read that, what in it may not be meant so. */
export type StartedBatch = RunFacts & { digest: string; warnings?: string[] };

interface BatchThere {
  run: StartedBatch;
  /** How many partitions it still waits for. */
  missing: number;
}

/** What a firing's worker brings along. */
export interface FiringSettings extends StartSettings {
  /** The same in every attempt of a firing, and in no other firing. */
  token?: string;
  proxy?: ProxySettings;
  /** Told, when the manifest was read, what in it may not be meant so. */
  onWarning?: (words: string) => void;
  /** Whoever does it has to stop; what is there by then stays. */
  signal?: AbortSignal;
  /** Whether a manifest that cannot be read, or kept, is not asked for again. */
  isLastAttempt?: boolean;
  /** Fails where another attempt has taken the place of this one, which must not decide anything any more. */
  requireCurrent?: () => Promise<void>;
}

export async function startScheduledBatch(
  temporal: Client,
  asked: AskedBatch,
  settings: FiringSettings,
): Promise<StartedBatch> {
  const before = await lookForBatch(temporal, asked, settings.token);
  // Whatever its address gives by now.
  if (before?.missing === 0) return before.run;
  try {
    return await handOverBatch(temporal, asked, settings);
  } catch (error) {
    if (!isFinal(error, settings)) throw error;
    const there = await lookForBatch(temporal, asked, settings.token);
    if (!there) throw error;
    if (there.missing > 0) await giveUpTheRest(temporal, asked, settings, there, reasonOf(error, asked));
    return there.run;
  }
}

/** Trouble with reading the manifest, or with keeping it until it is handed over: a later attempt may not meet it. */
export function mayPass(error: unknown): error is UnreachableAddressError | ManifestNotKeptError {
  return error instanceof UnreachableAddressError || error instanceof ManifestNotKeptError;
}

/** Whether another attempt would meet the same. */
function isFinal(error: unknown, { isLastAttempt = false }: FiringSettings): error is Error {
  if (mayPass(error)) return isLastAttempt;
  return error instanceof InvalidInputError || error instanceof KeyReusedError;
}

function reasonOf(error: Error, { manifest }: AskedBatch): string {
  if (mayPass(error)) return error.message;
  const what = error instanceof InvalidInputError ? 'another manifest, with bad lines,' : 'another manifest';
  return `${addressName(manifest)} gave ${what} when the rest was to be read`;
}

async function giveUpTheRest(
  temporal: Client,
  { key }: AskedBatch,
  { requireCurrent }: FiringSettings,
  { run, missing }: BatchThere,
  reason: string,
): Promise<void> {
  const workflowId = batchWorkflowId(key);
  // Whoever began it may be about to go on; a person has to say that nobody will.
  if (run.existing)
    throw new KeyReusedError(
      key,
      workflowId,
      `${missing} of its partitions were never handed over, and ${reason}. ` +
        `End it with: segue batch cancel ${key} --by NAME`,
    );
  await requireCurrent?.();
  try {
    const handle = temporal.workflow.getHandle(workflowId);
    await retryUnavailable(() => handle.signal(endHandOverSignal, { reason }));
  } catch (error) {
    // It ended by itself.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * The batch that the time of a firing has already, where it is of the same address and for the same people. What was
 * in the manifest does not matter.
 */
async function lookForBatch(
  temporal: Client,
  asked: AskedBatch,
  token: string | undefined,
): Promise<BatchThere | undefined> {
  const { key } = asked;
  const found = await findOwnRun(temporal, batchWorkflowId(key));
  if (!found) return undefined;
  const input = (await inputOf(temporal, found)) as BatchInput;
  if (askOf(input) !== askOf({ ...asked, source: addressName(asked.manifest) })) return undefined;
  const { manifest } = input;
  const run = { ...found, key, existing: found.memo?.[START_MEMO] !== token, digest: manifest.digest };
  const missing = isOpen(found) ? await missingPartitions(temporal, { key, manifest }) : [];
  return { run, missing: missing.length };
}

function askOf({ source, scope, notify }: Pick<BatchInput, 'source' | 'scope' | 'notify'>): string {
  return digest({ source, scope: withoutGaps(scope), notify: notify ?? undefined });
}

/** As much as a history should keep. */
const LONGEST_WARNING = 300;

/** Reads the manifest, checks the whole of it, and hands it over. */
async function handOverBatch(
  temporal: Client,
  { manifest: address, skipBad, ...asked }: AskedBatch,
  settings: FiringSettings,
): Promise<StartedBatch> {
  const { proxy = {}, onWarning, signal } = settings;
  // Only whoever reads manifests needs it.
  const { withCheckedManifest } = await import('../manifest/index.js');
  let warnings: string[] = [];
  const onCheck = (_name: string, check: ManifestCheck): void => {
    warnings = check.warnings.map(({ line, words }) => shorten(`line ${line}: ${words}`, LONGEST_WARNING));
    for (const words of warnings) onWarning?.(words);
  };
  return withCheckedManifest(address, { skipBad, proxy, signal, onCheck }, async ({ name, manifest, partitions }) => {
    const spec = { ...asked, manifest, partitions: untilAborted(partitions, signal), source: name };
    const run = await startBatch(temporal, spec, settings);
    return { ...run, digest: manifest.digest, warnings };
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
