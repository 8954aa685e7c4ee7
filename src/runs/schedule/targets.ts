import { type Client } from '@temporalio/client';
import { DEFAULT_BATCH_CONCURRENCY, type ScheduleTarget } from '../../contract';
import { batchWorkflowId, campaignWorkflowId, outlookWorkflowId } from '../../contract/ids';
import { concurrency, isRecord, validateOutlook } from '../../validation/inputs';
import { flag, notify, scope } from '../../validation/fields';
import { described, object, required, type Rule, validate } from '../../validation/rules';
import { type FiringSettings, type StartedBatch, startScheduledBatch } from '../batch/fromAddress';
import { campaignStart, validateCampaignSpec } from '../campaign';
import { addressName, problemOfAddress } from '../manifest/address';
import { outlookStart } from '../outlook';
import { type RunFacts } from '../find';
import { startOrFind } from '../start';

export type TargetKind = ScheduleTarget['kind'];

/** Only a batch has a manifest. */
type StartedRun = RunFacts & Partial<StartedBatch>;

/** All problems at once, of a spec with a key. */
const PROBLEMS: Record<TargetKind, (spec: unknown) => string[]> = {
  campaign: validateCampaignSpec,
  outlook: validateOutlook,
  batch: validateScheduledBatch,
};

const WORKFLOW_IDS = { campaign: campaignWorkflowId, outlook: outlookWorkflowId, batch: batchWorkflowId };

export const TARGET_KINDS = Object.keys(PROBLEMS) as TargetKind[];

/** Each firing has its own key. */
const ANY_KEY = 'key';

export function validateTarget(target: unknown): string[] {
  const { kind, spec }: Record<string, unknown> = isRecord(target) ? target : {};
  if (!TARGET_KINDS.includes(kind as TargetKind))
    return [`target: must be { kind, spec }, with ${TARGET_KINDS.join(' or ')} as its kind`];
  return PROBLEMS[kind as TargetKind](isRecord(spec) ? { ...spec, key: ANY_KEY } : spec);
}

export function startTarget(
  temporal: Client,
  { kind, spec }: ScheduleTarget,
  { key, ...settings }: FiringSettings & { key: string },
): Promise<StartedRun> {
  const { token } = settings;
  switch (kind) {
    case 'campaign':
      return startOrFind(temporal, { ...campaignStart({ ...spec, key }, settings), token });
    case 'outlook':
      return startOrFind(temporal, { ...outlookStart({ ...spec, key }, settings), token });
    case 'batch':
      return startScheduledBatch(temporal, { ...spec, key }, settings);
  }
}

export function targetWorkflowId(kind: TargetKind, key: string): string {
  return WORKFLOW_IDS[kind](key);
}

/** For display: the address of a manifest may be signed. */
export function shownTarget(target: ScheduleTarget): ScheduleTarget {
  if (target.kind !== 'batch') return target;
  const { manifest } = target.spec;
  const name = addressName(manifest);
  return { ...target, spec: { ...target.spec, manifest: name === manifest ? name : `${name}?...` } };
}

/** A key in the spec is not used. */
export function keyless(target: ScheduleTarget): ScheduleTarget {
  const { key, ...spec } = target.spec as { key?: unknown };
  return { ...target, spec } as ScheduleTarget;
}

const LONGEST_ADDRESS = 8_000;

function problemOfManifest(address: unknown): string | undefined {
  if (typeof address !== 'string' || address.length > LONGEST_ADDRESS)
    return `must be an https address of at most ${LONGEST_ADDRESS} characters`;
  if (!URL.canParse(address))
    return 'is not an address; a schedule reads its manifest from https, not from a file';
  return problemOfAddress(address);
}

/** No problem repeats the address: it may be signed. */
const manifest: Rule = {
  check: (address, path) => {
    const message = problemOfManifest(address);
    return message === undefined ? [] : [{ path, message }];
  },
  schema: { type: 'string', pattern: '^https?:\\/\\/' },
};

export const scheduledBatch = object({
  manifest: required(
    described(
      'https address of the manifest, read again each time; plain http from the machine of the worker only',
      manifest,
    ),
  ),
  concurrency: described(
    `how many items are at the service at once; ${DEFAULT_BATCH_CONCURRENCY} when left out`,
    concurrency,
  ),
  scope,
  notify: described('who is notified once, at the end', notify),
  skipBad: described('bad lines are left out, and the others are run', flag),
});

export function validateScheduledBatch(spec: unknown): string[] {
  if (!isRecord(spec)) return validate(scheduledBatch, spec);
  const { key: _ofEachFiring, ...asked } = spec;
  return validate(scheduledBatch, asked);
}
