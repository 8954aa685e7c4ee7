/**
 * A batch that a firing starts. A worker reads its manifest, and may be killed at any moment: the next attempt goes on
 * with what is there. The manifest that was read first is the batch's. Where its address gives another one before all
 * was handed over, what was handed over goes on, because it is what was asked for and is partly paid for; the rest is
 * given up, because nobody has it any more; and the batch says so, to the operator too. Lines of the other manifest
 * are not taken instead: nobody could tell which of them were done.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { truncate } from '../../api/json';
import { type ProxySettings } from '../../config';
import { type BatchInput, endHandOverSignal, type ScheduledBatch } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import {
  InvalidInputError,
  KeyReusedError,
  ManifestNotKeptError,
  UnreachableAddressError,
} from '../../errors';
import { digest } from '../../platform/digest';
import { type BatchPartition, missingPartitions } from '../batch/checkPartitions';
import { batchInput, startBatch } from '../batch/start';
import { type ManifestCheck } from '../manifest';
import { addressName } from '../manifest/addressForm';
import { withoutGaps } from '../media';
import { isOpen } from '../ownRun';
import { type RunFacts, type StartSettings } from '../start';

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
    await temporal.workflow.getHandle(workflowId).signal(endHandOverSignal, { reason });
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
  const workflowId = batchWorkflowId(key);
  try {
    const { memo, status, ...facts } = await temporal.workflow.getHandle(workflowId).describe();
    const input = await batchInput(temporal, key);
    if (askOf(input) !== askOf({ ...asked, source: addressName(asked.manifest) })) return undefined;
    const { manifest } = input;
    const run = { ...facts, key, existing: memo?.segueStart !== token, digest: manifest.digest };
    const missing = isOpen({ status }) ? await missingPartitions(temporal, { key, manifest }) : [];
    return { run, missing: missing.length };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function askOf({ source, scope, notify }: Pick<BatchInput, 'source' | 'scope' | 'notify'>): string {
  return digest({ source, scope: withoutGaps(scope), notify: notify ?? undefined });
}

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
    warnings = check.warnings.map(({ line, words }) => truncate(`line ${line}: ${words}`, LONGEST_TOLD));
    for (const words of warnings) onWarning?.(words);
  };
  const reading = { skipBad, proxy, signal, onCheck, refusal: unusable };
  return withCheckedManifest(address, reading, async ({ name, manifest, partitions }) => {
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

/** As much as a history should keep, and a person reads. */
const MOST_TOLD = 20;
const LONGEST_TOLD = 300;

function unusable(name: string, { problems, badLines, items, excess }: ManifestCheck): InvalidInputError {
  const told = [...(excess ? [excess] : []), ...problems].flatMap(({ line, problems: wrong }) =>
    wrong.map((problem) => truncate(`line ${line}: ${problem}`, LONGEST_TOLD)),
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
