/** What a schedule can start. Another kind is one more entry in the table. */
import { type Client } from '@temporalio/client';
import {
  type CampaignSpec,
  type OutlookInput,
  type ScheduledBatch,
  type ScheduleTarget,
  type Scope,
} from '../../contract';
import { batchWorkflowId, campaignWorkflowId, outlookWorkflowId } from '../../contract/ids';
import { validateScope } from '../../api/scope';
import { validateConcurrency } from '../../validation/batch';
import { isRecord, validateTargets } from '../../validation/inputs';
import { campaignStart, validateCampaignSpec } from '../campaign';
import { addressName, problemOfAddress } from '../manifest/addressForm';
import { outlookStart, validateOutlook } from '../outlook';
import { type RunFacts, startOrFind } from '../start';
import { type AskedBatch, type FiringSettings, type StartedBatch, startScheduledBatch } from './batch';

export type TargetKind = ScheduleTarget['kind'];

/** Only a batch has a manifest. */
type StartedRun = RunFacts & Partial<StartedBatch>;

interface TargetEntry<Spec> {
  /** All problems at once, of a spec with a key. */
  problems: (spec: unknown) => string[];
  workflowId: (key: string) => string;
  start: (temporal: Client, spec: Spec, settings: FiringSettings) => Promise<StartedRun>;
}

const CAMPAIGN: TargetEntry<CampaignSpec> = {
  problems: validateCampaignSpec,
  workflowId: campaignWorkflowId,
  start: (temporal, spec, { taskQueue, poll, submit, token }) =>
    startOrFind(temporal, { ...campaignStart(spec, { taskQueue, poll, submit }), token }),
};

const OUTLOOK: TargetEntry<OutlookInput> = {
  problems: validateOutlook,
  workflowId: outlookWorkflowId,
  start: (temporal, spec, { taskQueue, token }) =>
    startOrFind(temporal, { ...outlookStart(spec, { taskQueue }), token }),
};

const BATCH: TargetEntry<AskedBatch> = {
  problems: validateScheduledBatch,
  workflowId: batchWorkflowId,
  start: startScheduledBatch,
};

/** Which entry takes which spec is told by the kind. */
const TARGETS = { campaign: CAMPAIGN, outlook: OUTLOOK, batch: BATCH } as Record<
  TargetKind,
  TargetEntry<object>
>;

export const TARGET_KINDS = Object.keys(TARGETS) as TargetKind[];

export function isTargetKind(kind: unknown): kind is TargetKind {
  return TARGET_KINDS.includes(kind as TargetKind);
}

/** Stands for the keys that its firings will have. */
const ANY_KEY = 'key';

/** All problems at once, none of them about a key: each firing has its own. */
export function validateTarget(target: unknown): string[] {
  const kind = isRecord(target) ? target.kind : undefined;
  if (!isRecord(target) || !isTargetKind(kind))
    return [`target: must be { kind, spec }, with ${TARGET_KINDS.join(' or ')} as its kind`];
  const { spec } = target;
  return TARGETS[kind].problems(isRecord(spec) ? withKey(spec, ANY_KEY) : spec);
}

/** Starts it under this key, or finds the run that the key has. */
export async function startTarget(
  temporal: Client,
  { kind, spec }: ScheduleTarget,
  { key, ...settings }: FiringSettings & { key: string },
): Promise<StartedRun & { workflowId: string }> {
  const { start, workflowId } = TARGETS[kind];
  return { ...(await start(temporal, withKey(spec, key), settings)), workflowId: workflowId(key) };
}

export function targetWorkflowId(kind: TargetKind, key: string): string {
  return TARGETS[kind].workflowId(key);
}

/** The workspace that it works in; the credential's own where it names none. */
export function scopeOfTarget({ spec }: ScheduleTarget): Scope | undefined {
  return spec.scope;
}

/** As it is shown: a batch's address may be signed. */
export function shownTarget(target: ScheduleTarget): ScheduleTarget {
  return target.kind === 'batch' ? { ...target, spec: withoutSecrets(target.spec) } : target;
}

/** A spec as people have it in a file may have a key of its own, which is not used. */
export function keyless(target: ScheduleTarget): ScheduleTarget {
  const { key, ...spec } = target.spec as { key?: unknown };
  return { ...target, spec } as ScheduleTarget;
}

function withKey(spec: object, key: string): { key: string } {
  return { ...spec, key };
}

/** All problems at once. None repeats the address: it may be signed. */
export function validateScheduledBatch(spec: unknown): string[] {
  if (!isRecord(spec)) return ['the batch: must be an object'];
  const { key: _ofEachFiring, manifest, concurrency, scope, notify, skipBad, ...unknown } = spec;
  return [
    ...Object.keys(unknown).map((name) => `${name}: is no part of a batch`),
    ...validateManifestAddress(manifest),
    ...validateConcurrency(concurrency),
    ...validateScope(scope),
    ...validateTargets({ notify }),
    ...(skipBad === undefined || skipBad === null || typeof skipBad === 'boolean'
      ? []
      : ['skipBad: must be true or false']),
  ];
}

const LONGEST_ADDRESS = 8_000;

function validateManifestAddress(manifest: unknown): string[] {
  if (typeof manifest !== 'string' || manifest.length > LONGEST_ADDRESS)
    return [`manifest: must be an https address of at most ${LONGEST_ADDRESS} characters`];
  const problem = problemOfAddress(manifest);
  return problem === undefined ? [] : [`manifest: ${problem}`];
}

/** For those who look at it: what is signed or secret in the address stays out. */
function withoutSecrets(spec: ScheduledBatch): ScheduledBatch {
  const name = addressName(spec.manifest);
  return { ...spec, manifest: name === spec.manifest ? name : `${name}?...` };
}
