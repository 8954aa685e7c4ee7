/** What a schedule can start. Another kind is one more entry in the table. */
import { type Client } from '@temporalio/client';
import { type CampaignSpec, type OutlookInput, type ScheduleTarget, type Scope } from '../../contract';
import { batchWorkflowId, campaignWorkflowId, outlookWorkflowId } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';
import { Batch } from '../batches/batch';
import { Campaign } from '../campaigns/campaign';
import { campaignStart } from '../campaigns';
import { problemsOfCampaignSpec } from '../campaigns/spec';
import { startOrFind } from '../keyed';
import { OutlookRun } from '../outlooks/outlook';
import { outlookStart, problemsOfOutlook } from '../outlooks';
import { type Run, type RunFacts } from '../run';
import { problemsOfScheduledBatch, withoutSecrets } from './batchSpec';
import { type FiringSettings, startScheduledBatch } from './batchTarget';
import { type AskedBatch, type StartedBatch } from './batchThere';

export type TargetKind = ScheduleTarget['kind'];

/** Only a batch has a manifest. */
type StartedRun = RunFacts & Partial<StartedBatch>;

interface TargetEntry<Spec> {
  /** All problems at once, of a spec with a key. */
  problems: (spec: unknown) => string[];
  workflowId: (key: string) => string;
  start: (temporal: Client, spec: Spec, settings: FiringSettings) => Promise<StartedRun>;
  run: (temporal: Client, facts: RunFacts) => Run;
}

const CAMPAIGN: TargetEntry<CampaignSpec> = {
  problems: problemsOfCampaignSpec,
  workflowId: campaignWorkflowId,
  start: (temporal, spec, { taskQueue, poll, submit, token }) =>
    startOrFind(temporal, { ...campaignStart(spec, { taskQueue, poll, submit }), token }),
  run: (temporal, facts) => new Campaign(temporal, facts),
};

const OUTLOOK: TargetEntry<OutlookInput> = {
  problems: problemsOfOutlook,
  workflowId: outlookWorkflowId,
  start: (temporal, spec, { taskQueue, token }) =>
    startOrFind(temporal, { ...outlookStart(spec, { taskQueue }), token }),
  run: (temporal, facts) => new OutlookRun(temporal, facts),
};

const BATCH: TargetEntry<AskedBatch> = {
  problems: problemsOfScheduledBatch,
  workflowId: batchWorkflowId,
  start: startScheduledBatch,
  run: (temporal, facts) => new Batch(temporal, facts),
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
export function problemsOfTarget(target: unknown): string[] {
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

export function targetRun(temporal: Client, kind: TargetKind, facts: RunFacts): Run {
  return TARGETS[kind].run(temporal, facts);
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
