/** How schedules stand, and what became of their firings. */
import {
  type Client,
  type ScheduleDescription,
  type ScheduleExecutionResult,
  type ScheduleOverlapPolicy,
  type ScheduleSummary,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { keyOfFiring } from '../../calendar/zones';
import {
  type FiringResult,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
  type SkippedFirings,
  skippedFirings,
} from '../../contract';
import { type Duration, toDuration } from '../../contract/durations';
import { NoSuchJobError } from '../../errors';
import { firingIn, scheduleNameIn } from '../../contract/ids';
import { isOpen } from '../../runs/ownRun';
import { find } from '../../runs/start';
import { type JobStatus } from '../report';
import { shownTarget, type TargetKind, targetWorkflowId } from '../../runs/schedule/targets';
import { Batch } from '../batches/batch';
import { Campaign } from '../campaigns/campaign';
import { OutlookRun } from '../outlooks';
import { failedRun } from '../../runs/failedRun';

/** What a schedule remembers of how it was asked for. */
export interface ScheduleMemo extends Record<string, unknown> {
  /** Digest of what was asked for. */
  segueAsk: string;
  segueSchedule: KeptSchedule;
}

export interface KeptSchedule {
  kind: TargetKind;
  spec: ScheduleTimes;
  timezone: string;
}

/** A schedule as Temporal lists it. Times are ISO 8601. */
export interface ScheduleEntry {
  name: string;
  scheduleId: string;
  /** What it starts; null, like all that Segue keeps, where somebody else made it. */
  kind: TargetKind | null;
  spec: ScheduleTimes | null;
  timezone: string | null;
  paused: boolean;
  /** Why it is paused, or whatever was noted last. */
  note: string | null;
  next: string | null;
  /** The time of the last firing. */
  last: string | null;
}

export interface ScheduleReport extends Omit<ScheduleEntry, 'next' | 'last'> {
  /** As the server has it, like `catchup`: somebody may have changed it there. */
  overlap: ShownOverlap;
  catchup: Duration;
  target: ScheduleTarget | null;
  createdAt: string;
  /** The next five. */
  next: string[];
  /** How often it fired. */
  fired: number;
  skipped: SkippedFirings;
  /** The last ones, newest first. */
  firings: FiringReport[];
}

/** One firing, and the run that it is for. */
export interface FiringReport {
  /** The time it fired for, which may be long before it did. */
  time: string;
  takenAt: string;
  firing: string;
  /** What it started; null where that is not known. */
  workflowId: string | null;
  key: string | null;
  /** How what it started stands; null where Temporal no longer knows. */
  status: JobStatus | null;
  error: string | null;
  /** Of the manifest, where it is a batch that is over. */
  digest: string | null;
  /** What in the manifest may not be meant so, likewise. */
  warnings: string[];
}

/** What becomes of a firing while the one before it is open, in the server's words and in Segue's. */
const POLICIES = {
  skip: 'SKIP',
  'buffer-one': 'BUFFER_ONE',
  'buffer-all': 'BUFFER_ALL',
  'allow-all': 'ALLOW_ALL',
} as const satisfies Record<ScheduleOverlap, ScheduleOverlapPolicy>;

export function policyOf(overlap: ScheduleOverlap): ScheduleOverlapPolicy {
  return POLICIES[overlap];
}

/** Two that Segue gives to no schedule: somebody else may. */
export type ShownOverlap = ScheduleOverlap | 'cancel-other' | 'terminate-other';

const SHOWN = {
  SKIP: 'skip',
  BUFFER_ONE: 'buffer-one',
  BUFFER_ALL: 'buffer-all',
  ALLOW_ALL: 'allow-all',
  CANCEL_OTHER: 'cancel-other',
  TERMINATE_OTHER: 'terminate-other',
} as const satisfies Record<NonNullable<ScheduleOverlapPolicy>, ShownOverlap>;

export function shownOverlap(policy: ScheduleOverlapPolicy): ShownOverlap {
  // The server says one of them; the SDK's type has room for none.
  return SHOWN[policy ?? 'SKIP'];
}

const TIMES_SHOWN = 5;

export function entryOfSchedule(listed: ScheduleSummary): ScheduleEntry {
  const { info } = listed;
  return {
    ...sharedOf(listed),
    next: info.nextActionTimes.at(0)?.toISOString() ?? null,
    last: info.recentActions.at(-1)?.scheduledAt.toISOString() ?? null,
  };
}

export async function reportOfSchedule(
  temporal: Client,
  described: ScheduleDescription,
): Promise<ScheduleReport> {
  const { info, action, policies } = described;
  const kept = keptIn(described);
  const [input] = (action.args ?? []) as [{ target?: ScheduleTarget }?];
  const firings = [...info.recentActions].reverse();
  return {
    ...sharedOf(described),
    ...{
      overlap: shownOverlap(policies.overlap),
      catchup: toDuration(policies.catchupWindow),
      target: input?.target ? shownTarget(input.target) : null,
    },
    createdAt: info.createdAt.toISOString(),
    next: info.nextActionTimes.slice(0, TIMES_SHOWN).map((time) => time.toISOString()),
    fired: info.numActionsTaken,
    skipped: skippedFirings(described),
    firings: await Promise.all(firings.map((taken) => reportOfFiring(temporal, kept, taken))),
  };
}

function sharedOf(found: ScheduleSummary): Omit<ScheduleEntry, 'next' | 'last'> {
  const { scheduleId, state } = found;
  const { kind, spec, timezone } = keptIn(found);
  return {
    name: scheduleNameIn(scheduleId) ?? scheduleId,
    scheduleId,
    ...{ kind: kind ?? null, spec: spec ?? null, timezone: timezone ?? null },
    paused: state.paused,
    note: state.note === '' ? null : (state.note ?? null),
  };
}

function keptIn({ memo }: Pick<ScheduleSummary, 'memo'>): Partial<KeptSchedule> {
  return memo?.segueSchedule ?? {};
}

async function reportOfFiring(
  temporal: Client,
  kept: Partial<KeptSchedule>,
  { scheduledAt, takenAt, action }: ScheduleExecutionResult,
): Promise<FiringReport> {
  const { workflowId: firing, firstExecutionRunId } = action.workflow;
  const due = dueRun(firing, kept);
  return {
    time: firingIn(firing)?.time ?? scheduledAt.toISOString(),
    takenAt: takenAt.toISOString(),
    ...{ firing, key: due?.key ?? null, workflowId: due?.workflowId ?? null },
    ...{ digest: null, warnings: [] },
    ...(await outcomeOfFiring(temporal, due, { workflowId: firing, runId: firstExecutionRunId })),
  };
}

interface DueRun {
  kind: TargetKind;
  key: string;
  workflowId: string;
}

/** The run that a firing is for. */
function dueRun(firing: string, { kind, spec, timezone }: Partial<KeptSchedule>): DueRun | undefined {
  const own = firingIn(firing);
  if (!own || !kind || !spec || !timezone) return undefined;
  const key = keyOfFiring(own, { spec, timezone });
  return { kind, key, workflowId: targetWorkflowId(kind, key) };
}

type FiringOutcome = Pick<FiringReport, 'status' | 'error'> &
  Partial<Pick<FiringReport, 'workflowId' | 'key' | 'digest' | 'warnings'>>;

/** A firing that is over says it all; while it is open, what it started is asked. */
async function outcomeOfFiring(
  temporal: Client,
  due: DueRun | undefined,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<FiringOutcome> {
  try {
    if (await isFiringOpen(temporal, workflowId, runId)) return await standingOf(temporal, due);
    const result = (await temporal.workflow.getHandle(workflowId, runId).result()) as FiringResult;
    const { status, error, key, workflowId: run, digest = null, warnings = [] } = result;
    return { status, error, key, workflowId: run, digest, warnings };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { status: null, error: null };
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { status, error: words } = failedRun(error);
    return { status, error: `the firing itself: ${words}` };
  }
}

/** The same time may have fired more than once, and a long wait goes on as another run. */
async function isFiringOpen(temporal: Client, workflowId: string, runId: string): Promise<boolean> {
  const run = await temporal.workflow.getHandle(workflowId, runId).describe();
  if (run.status.name !== 'CONTINUED_AS_NEW') return isOpen(run);
  return isOpen(await temporal.workflow.getHandle(workflowId).describe());
}

/** An end is told by the firing, which is about to: it alone knows whether this run is the one it is for. */
async function standingOf(temporal: Client, due: DueRun | undefined): Promise<FiringOutcome> {
  const isHeld = due !== undefined && (await statusOf(temporal, due)) === 'held';
  return { status: isHeld ? 'held' : 'running', error: null };
}

const RUNS = { campaign: Campaign, outlook: OutlookRun, batch: Batch } as const;

async function statusOf(temporal: Client, { kind, key, workflowId }: DueRun): Promise<JobStatus | undefined> {
  try {
    const facts = await find(temporal, workflowId);
    return (await new RUNS[kind](temporal, { ...facts, key }).report()).status;
  } catch (error) {
    // It is about to be started.
    if (error instanceof NoSuchJobError) return undefined;
    throw error;
  }
}
