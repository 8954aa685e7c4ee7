/**
 * A batch that a firing starts. A worker that reads its manifest may be killed at any moment; the next attempt continues.
 * If the address then gives another manifest, the partitions that were started continue, and the rest is given up. Lines
 * of the other manifest are not used: nobody would know which of them were done.
 */
import { type Client } from '@temporalio/client';
import { truncate } from '../../api/json';
import { type ProxySettings } from '../../config';
import { type BatchInput, endHandOverSignal, type ScheduledBatch, START_MEMO } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { InvalidInputError, KeyReusedError, UnreachableAddressError } from '../../errors';
import { digest } from '../../platform/digest';
import { missingPartitions } from '../batch/handOver';
import { startBatch } from '../batch/start';
import { type ManifestCheck } from '../manifest';
import { addressName } from '../manifest/address';
import { normalizeScope } from '../media';
import { retryUnavailable } from '../grpc';
import { findOwnRun, ifFound, isOpen, type RunFacts } from '../find';
import { inputOf, type StartSettings } from '../start';

/** What a schedule asks for, under the key of one firing. */
export type AskedBatch = ScheduledBatch & { key: string };
/** `warnings` only if this attempt read the manifest. */
export type StartedBatch = RunFacts & { digest: string; warnings?: string[] };

interface FoundBatch {
  run: StartedBatch;
  missing: number;
}

export interface FiringSettings extends StartSettings {
  /** The same in every attempt of a firing, and in no other firing. */
  token?: string;
  proxy?: ProxySettings;
  onWarning?: (warning: string) => void;
  /** Stops the hand-over; partitions that were started stay. */
  signal?: AbortSignal;
  /** Whether a manifest that cannot be read or kept is given up. */
  isLastAttempt?: boolean;
  /** Throws if a later attempt has replaced this one, which then must not decide anything. */
  requireCurrent?: () => Promise<void>;
}

export async function startScheduledBatch(
  temporal: Client,
  asked: AskedBatch,
  settings: FiringSettings,
): Promise<StartedBatch> {
  const before = await lookForBatch(temporal, asked, settings.token);
  // The address is not read again.
  if (before?.missing === 0) return before.run;
  try {
    return await handOverBatch(temporal, asked, settings);
  } catch (error) {
    if (!isFinal(error, settings)) throw error;
    const found = await lookForBatch(temporal, asked, settings.token);
    if (!found) throw error;
    if (found.missing > 0) await giveUpTheRest(temporal, asked, settings, found, reasonOf(error, asked));
    return found.run;
  }
}

/** Whether another attempt would fail in the same way. One that reads or keeps the manifest later may not. */
function isFinal(error: unknown, { isLastAttempt = false }: FiringSettings): error is Error {
  if (error instanceof UnreachableAddressError) return isLastAttempt;
  return error instanceof InvalidInputError || error instanceof KeyReusedError;
}

function reasonOf(error: Error, { manifest }: AskedBatch): string {
  if (error instanceof UnreachableAddressError) return error.message;
  const what = error instanceof InvalidInputError ? 'another manifest, with bad lines,' : 'another manifest';
  return `${addressName(manifest)} gave ${what} when the rest was to be read`;
}

async function giveUpTheRest(
  temporal: Client,
  { key }: AskedBatch,
  { requireCurrent }: FiringSettings,
  { run, missing }: FoundBatch,
  reason: string,
): Promise<void> {
  const workflowId = batchWorkflowId(key);
  // Its starter may still continue the hand-over, so a person must decide.
  if (run.existing)
    throw new KeyReusedError(
      key,
      workflowId,
      `${missing} of its partitions were never handed over, and ${reason}. ` +
        `End it with: segue batch cancel ${key} --by NAME`,
    );
  await requireCurrent?.();
  const handle = temporal.workflow.getHandle(workflowId);
  // The batch may be over by now.
  await ifFound(retryUnavailable(() => handle.signal(endHandOverSignal, { reason })));
}

/**
 * The batch that this firing already has, if it has the same address, scope and notify. The content of the manifest
 * does not matter.
 */
async function lookForBatch(
  temporal: Client,
  asked: AskedBatch,
  token: string | undefined,
): Promise<FoundBatch | undefined> {
  const { key } = asked;
  const found = await findOwnRun(temporal, batchWorkflowId(key));
  if (!found) return undefined;
  const input = (await inputOf(temporal, found)) as BatchInput;
  if (identityOf(input) !== identityOf({ ...asked, source: addressName(asked.manifest) })) return undefined;
  const { manifest } = input;
  const run = { ...found, key, existing: found.memo?.[START_MEMO] !== token, digest: manifest.digest };
  const missing = isOpen(found) ? await missingPartitions(temporal, { key, manifest }) : [];
  return { run, missing: missing.length };
}

function identityOf({ source, scope, notify }: Pick<BatchInput, 'source' | 'scope' | 'notify'>): string {
  return digest({ source, scope: normalizeScope(scope), notify: notify ?? undefined });
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
  // Loaded only where a manifest is read.
  const { withCheckedManifest } = await import('../manifest/index.js');
  let warnings: string[] = [];
  const onCheck = (_name: string, check: ManifestCheck): void => {
    warnings = check.warnings.map(({ line, words }) => truncate(`line ${line}: ${words}`, LONGEST_WARNING));
    for (const warning of warnings) onWarning?.(warning);
  };
  return withCheckedManifest(
    address,
    { skipBad, proxy, signal, onCheck },
    async ({ name, manifest, partitions }) => {
      const spec = { ...asked, manifest, partitions, source: name };
      const run = await startBatch(temporal, spec, settings);
      return { ...run, digest: manifest.digest, warnings };
    },
  );
}
