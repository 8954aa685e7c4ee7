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

interface TargetEntry {
  /** All problems at once, of a spec with a key. */
  problems: (spec: unknown) => string[];
  workflowId: (key: string) => string;
  start: (temporal: Client, spec: object, settings: FiringSettings) => Promise<StartedRun>;
}

const TARGETS: Record<TargetKind, TargetEntry> = {
  campaign: {
    problems: validateCampaignSpec,
    workflowId: campaignWorkflowId,
    start: (temporal, spec, settings) =>
      startOrFind(temporal, { ...campaignStart(spec as CampaignSpec, settings), token: settings.token }),
  },
  outlook: {
    problems: validateOutlook,
    workflowId: outlookWorkflowId,
    start: (temporal, spec, settings) =>
      startOrFind(temporal, { ...outlookStart(spec as OutlookInput, settings), token: settings.token }),
  },
  batch: {
    problems: validateScheduledBatch,
    workflowId: batchWorkflowId,
    start: (temporal, spec, settings) => startScheduledBatch(temporal, spec as AskedBatch, settings),
  },
};

export const TARGET_KINDS = Object.keys(TARGETS) as TargetKind[];

/** Each firing has its own key. */
const ANY_KEY = 'key';

/** All problems of a target, which has no key. */
export function validateTarget(target: unknown): string[] {
  const { kind, spec }: Record<string, unknown> = isRecord(target) ? target : {};
  if (!TARGET_KINDS.includes(kind as TargetKind))
    return [`target: must be { kind, spec }, with ${TARGET_KINDS.join(' or ')} as its kind`];
  return TARGETS[kind as TargetKind].problems(isRecord(spec) ? { ...spec, key: ANY_KEY } : spec);
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
