/** What a schedule can start. */
import { type Client } from '@temporalio/client';
import { type CampaignSpec, type OutlookInput, type ScheduleTarget } from '../../contract';
import { batchWorkflowId, campaignWorkflowId, outlookWorkflowId } from '../../contract/ids';
import { validateScope } from '../../api/scope';
import { validateConcurrency } from '../../validation/batch';
import { isRecord, validateTargets } from '../../validation/inputs';
import { campaignStart, validateCampaignSpec } from '../campaign';
import { addressName, problemOfAddress } from '../manifest/address';
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
  start: (temporal, spec, settings) =>
    startOrFind(temporal, { ...campaignStart(spec, settings), token: settings.token }),
};

const OUTLOOK: TargetEntry<OutlookInput> = {
  problems: validateOutlook,
  workflowId: outlookWorkflowId,
  start: (temporal, spec, settings) =>
    startOrFind(temporal, { ...outlookStart(spec, settings), token: settings.token }),
};

const BATCH: TargetEntry<AskedBatch> = {
  problems: validateScheduledBatch,
  workflowId: batchWorkflowId,
  start: startScheduledBatch,
};

const TARGETS = { campaign: CAMPAIGN, outlook: OUTLOOK, batch: BATCH } as Record<
  TargetKind,
  TargetEntry<object>
>;

export const TARGET_KINDS = Object.keys(TARGETS) as TargetKind[];

export function isTargetKind(kind: unknown): kind is TargetKind {
  return TARGET_KINDS.includes(kind as TargetKind);
}

/** Each firing has its own key. */
const ANY_KEY = 'key';

/** All problems of a target, which has no key. */
export function validateTarget(target: unknown): string[] {
  const kind = isRecord(target) ? target.kind : undefined;
  if (!isRecord(target) || !isTargetKind(kind))
    return [`target: must be { kind, spec }, with ${TARGET_KINDS.join(' or ')} as its kind`];
  const { spec } = target;
  return TARGETS[kind].problems(isRecord(spec) ? { ...spec, key: ANY_KEY } : spec);
}

export function startTarget(
  temporal: Client,
  { kind, spec }: ScheduleTarget,
  { key, ...settings }: FiringSettings & { key: string },
): Promise<StartedRun> {
  return TARGETS[kind].start(temporal, { ...spec, key }, settings);
}

export function targetWorkflowId(kind: TargetKind, key: string): string {
  return TARGETS[kind].workflowId(key);
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
