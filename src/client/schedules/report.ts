import {
  type Client,
  type ScheduleDescription,
  type ScheduleExecutionResult,
  type ScheduleOverlapPolicy,
  type ScheduleSummary,
} from '@temporalio/client';
import { calendarsOf, keyOfFiring } from '../../calendar/zones';
import {
  type FiringResult,
  type ScheduleOverlap,
  type ScheduleTarget,
  type ScheduleTimes,
  type SkippedFirings,
} from '../../contract';
import { type Duration, toDuration } from '../../contract/durations';
import { firingIn, scheduleNameIn } from '../../contract/ids';
import { endOfRun, failedRun, findRun, isOpen } from '../../runs/find';
import { type JobStatus } from '../report';
import { skippedFirings } from '../../runs/schedule/spec';
import { shownTarget, type TargetKind, targetWorkflowId } from '../../runs/schedule/targets';

export interface ScheduleMemo extends Record<string, unknown> {
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
  /** What it starts; null, like `spec` and `timezone`, if Segue did not create it. */
  kind: TargetKind | null;
  spec: ScheduleTimes | null;
  timezone: string | null;
  paused: boolean;
  /** The last note: why it is paused, for example. */
  note: string | null;
  next: string | null;
  last: string | null;
}

export interface ScheduleReport extends Omit<ScheduleEntry, 'next' | 'last'> {
  /** Like `catchup`, as the server has it: somebody may have changed it in the UI. */
  overlap: ShownOverlap;
  catchup: Duration;
  target: ScheduleTarget | null;
  createdAt: string;
  next: string[];
  fired: number;
  skipped: SkippedFirings;
  /** The last ones, newest first. */
  firings: FiringReport[];
}

export interface FiringReport {
  /** The time of the schedule; `takenAt` may be much later. */
  time: string;
  takenAt: string;
  firing: string;
  /** The run that it started; null if unknown. */
  workflowId: string | null;
  key: string | null;
  /** How what it started ended; `running` while the firing is open, null where Temporal no longer knows. */
  status: JobStatus | null;
  error: string | null;
  /** Digest of the manifest of a batch, when it is over. */
  digest: string | null;
  /** Warnings about the manifest of a batch, when it is over. */
  warnings: string[];
}

/** Segue never sets the last two, but other tools may. */
export type ShownOverlap = ScheduleOverlap | 'cancel-other' | 'terminate-other';

/** What becomes of a firing while the one before it is open: `buffer-one` is the server's BUFFER_ONE. */
export function policyOf(overlap: ScheduleOverlap): ScheduleOverlapPolicy {
  return overlap.toUpperCase().replace('-', '_') as ScheduleOverlapPolicy;
}

function shownOverlap(policy: ScheduleOverlapPolicy): ShownOverlap {
  // The SDK's type allows undefined, the server never sends it.
  return (policy ?? 'SKIP').toLowerCase().replace('_', '-') as ShownOverlap;
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
  const [input] = (action.args ?? []) as [{ target?: ScheduleTarget }?];
  const firings = [...info.recentActions].reverse();
  return {
    ...sharedOf(described),
    overlap: shownOverlap(policies.overlap),
    catchup: toDuration(policies.catchupWindow),
    target: input?.target ? shownTarget(input.target) : null,
    createdAt: info.createdAt.toISOString(),
    next: info.nextActionTimes.slice(0, TIMES_SHOWN).map((time) => time.toISOString()),
    fired: info.numActionsTaken,
    skipped: skippedFirings(described),
    firings: await Promise.all(firings.map((taken) => reportOfFiring(temporal, described, taken))),
  };
}

function sharedOf(found: ScheduleSummary): Omit<ScheduleEntry, 'next' | 'last'> {
  const { scheduleId, state } = found;
  const { kind = null, spec = null, timezone = null } = keptIn(found);
  return {
    name: scheduleNameIn(scheduleId) ?? scheduleId,
    ...{ scheduleId, kind, spec, timezone, paused: state.paused },
    note: state.note === '' ? null : (state.note ?? null),
  };
}

function keptIn({ memo }: Pick<ScheduleSummary, 'memo'>): Partial<KeptSchedule> {
  return memo?.segueSchedule ?? {};
}

async function reportOfFiring(
  temporal: Client,
  described: ScheduleDescription,
  { scheduledAt, takenAt, action }: ScheduleExecutionResult,
): Promise<FiringReport> {
  const { workflowId: firing, firstExecutionRunId } = action.workflow;
  return {
    time: firingIn(firing)?.time ?? scheduledAt.toISOString(),
    takenAt: takenAt.toISOString(),
    firing,
    ...dueRun(firing, described),
    ...{ digest: null, warnings: [] },
    ...(await outcomeOfFiring(temporal, firing, firstExecutionRunId)),
  };
}

function dueRun(firing: string, described: ScheduleDescription): Pick<FiringReport, 'key' | 'workflowId'> {
  const own = firingIn(firing);
  const { kind, timezone } = keptIn(described);
  if (!own || !kind || !timezone) return { key: null, workflowId: null };
  const key = keyOfFiring(own, calendarsOf(described), timezone);
  return { key, workflowId: targetWorkflowId(kind, key) };
}

type FiringOutcome = Pick<FiringReport, 'status' | 'error'> &
  Partial<Pick<FiringReport, 'workflowId' | 'key' | 'digest' | 'warnings'>>;

/** A firing waits for what it started, and its result says how that ended. */
async function outcomeOfFiring(temporal: Client, firing: string, runId: string): Promise<FiringOutcome> {
  const run = await findRun(temporal, firing, runId);
  const isContinued = run?.status.name === 'CONTINUED_AS_NEW';
  const latest = isContinued ? await findRun(temporal, firing) : run;
  if (!latest) return { status: null, error: null };
  if (isOpen(latest)) return { status: 'running', error: null };
  const end = await endOfRun(temporal.workflow.getHandle(firing, latest.runId));
  if ('failure' in end) {
    const { status, error } = failedRun(end.failure);
    return { status, error: `the firing itself: ${error}` };
  }
  const { status, error, key, workflowId, digest = null, warnings = [] } = end.result as FiringResult;
  return { status, error, key, workflowId, digest, warnings };
}
