/**
 * A batch that a firing starts. A worker reads its manifest, and may be killed at any moment: the next attempt goes on
 * with what is there. The manifest that was read first is the batch's. Where its address gives another one before all
 * was handed over, what was handed over goes on, because it is what was asked for and is partly paid for; the rest is
 * given up, because nobody has it any more; and the batch says so, to the operator too. Lines of the other manifest
 * are not taken instead: nobody could tell which of them were done.
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { endHandOverSignal } from '../../contract';
import {
  InvalidInputError,
  KeyReusedError,
  ManifestNotKeptError,
  UnreachableAddressError,
} from '../../errors';
import { batchWorkflowId } from '../../contract/ids';
import { addressName } from '../batches/manifest/addressForm';
import { type AskedBatch, type BatchThere, lookForBatch, type StartedBatch } from './batchThere';
import { handOverBatch, type HandOverSettings } from './batchHandOver';

/** What a firing's worker brings along. */
export interface FiringSettings extends HandOverSettings {
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
