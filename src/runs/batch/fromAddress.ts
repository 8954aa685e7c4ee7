/**
 * A batch whose manifest a worker reads, for a firing or for a request through Nexus. The worker may be killed at any
 * moment; the next attempt continues if the address still gives the same manifest. Otherwise the firing or the request
 * fails, and the batch waits for the rest.
 */
import { type Client } from '@temporalio/client';
import { truncate } from '../../api/json';
import { type ProxySettings } from '../../config';
import { type BatchInput, type ScheduledBatch, START_MEMO } from '../../contract';
import { batchWorkflowId } from '../../contract/ids';
import { digest } from '../../platform/digest';
import { addressName } from '../manifest/address';
import { normalizeScope } from '../media';
import { findOwnRun, isOpen, type RunFacts } from '../find';
import { inputOf, type StartSettings } from '../start';
import { missingPartitions } from './handOver';
import { startBatch } from './start';

/** What a firing or a request asks for, with its key. */
export type AskedBatch = ScheduledBatch & { key: string };
/** `warnings` only if this attempt read the manifest. */
export type StartedBatch = RunFacts & { digest: string; warnings?: string[] };

export interface FiringSettings extends StartSettings {
  /** The same in every attempt of a firing or request, and in no other one. */
  token?: string;
  /**
   * A caller chose the key. The caller may use it again for another manifest whose address differs only in the query, so
   * such an address is read again.
   */
  isChosenKey?: boolean;
  proxy?: ProxySettings;
  /** Stops the hand-over; partitions that were started stay. */
  signal?: AbortSignal;
}

export async function startScheduledBatch(
  temporal: Client,
  asked: AskedBatch,
  settings: FiringSettings,
): Promise<StartedBatch> {
  const whole = await findWholeBatch(temporal, asked, settings);
  return whole ?? handOverBatch(temporal, asked, settings);
}

/**
 * The batch that this firing or request already has, if it has the same address, scope and notify, and needs no more partitions.
 * The address is not read for it: it may be signed for a short time only.
 */
async function findWholeBatch(
  temporal: Client,
  asked: AskedBatch,
  { token, isChosenKey }: Pick<FiringSettings, 'token' | 'isChosenKey'>,
): Promise<StartedBatch | undefined> {
  const { key, manifest: address } = asked;
  const found = await findOwnRun(temporal, batchWorkflowId(key));
  if (!found) return undefined;
  const existing = found.memo?.[START_MEMO] !== token;
  if (existing && isChosenKey && addressName(address) !== address) return undefined;
  const input = (await inputOf(temporal, found)) as BatchInput;
  if (identityOf(input) !== identityOf({ ...asked, source: addressName(address) })) return undefined;
  const { manifest } = input;
  const missing = isOpen(found) ? await missingPartitions(temporal, { key, manifest }) : [];
  if (missing.length > 0) return undefined;
  return { ...found, key, existing, digest: manifest.digest };
}

function identityOf({ source, scope, notify }: Pick<BatchInput, 'source' | 'scope' | 'notify'>): string {
  return digest({ source, scope: normalizeScope(scope), notify: notify ?? undefined });
}

/** As much as a history should keep. */
const LONGEST_WARNING = 300;

async function handOverBatch(
  temporal: Client,
  { manifest: address, skipBad, ...asked }: AskedBatch,
  settings: FiringSettings,
): Promise<StartedBatch> {
  const { proxy = {}, signal } = settings;
  // Loaded only where a manifest is read.
  const { withCheckedManifest } = await import('../manifest/index.js');
  return withCheckedManifest(address, { skipBad, proxy, signal }, async (checked) => {
    const { name, check, manifest, partitions } = checked;
    const run = await startBatch(temporal, { ...asked, manifest, partitions, source: name }, settings);
    const warnings = check.warnings.map(({ line, words }) =>
      truncate(`line ${line}: ${words}`, LONGEST_WARNING),
    );
    return { ...run, digest: manifest.digest, warnings };
  });
}
