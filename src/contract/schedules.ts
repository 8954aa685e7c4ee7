/** Schedules: at which times something is started, and the short run that starts it and waits for its end. */
import { type CalendarSpec, type ScheduleDescription } from '@temporalio/client';
import { type Scope } from '../api/scope';
import { type Duration } from './durations';
import { type CampaignSpec, type WorkspaceClock } from './campaigns';
import { type OutlookInput } from './outlook';
import { type Continued, type JobSettings } from './settings';
import { type NotifyTarget } from './targets';

/** What a schedule starts each time: it starts what was asked for, and stays open as long as that. */
export const FIRING_WORKFLOW = 'firing';
/** Reads by which clock a workspace works, for those who have no credential. */
export const WORKSPACE_CLOCK_WORKFLOW = 'workspaceClock';

/** At which times. A calendar is Temporal's own, one or several. */
export type ScheduleTimes =
  { cron: string } | { every: Duration } | { calendar: CalendarSpec | CalendarSpec[] };

/** Each firing has a key of its own, so that a spec in a schedule has none. */
export type Keyless<Spec extends { key: string }> = Omit<Spec, 'key'>;

/** A batch whose manifest is read anew each time, by a worker. */
export interface ScheduledBatch {
  /** An https address. Whatever is signed or secret in it stands in the schedule and in each firing's history. */
  manifest: string;
  /** How many items are at the service at once. */
  concurrency?: number;
  /** Of the batch itself; lines have their own. */
  scope?: Scope;
  /** Who is told of the end, once. */
  notify?: NotifyTarget;
  /** Whether bad lines are left out, and the others are run. */
  skipBad?: boolean;
}

/** What is started each time. */
export type ScheduleTarget =
  | { kind: 'campaign'; spec: Keyless<CampaignSpec> }
  | { kind: 'outlook'; spec: Keyless<OutlookInput> }
  | { kind: 'batch'; spec: ScheduledBatch };

/**
 * What becomes of a firing while the one before it is open. None of them stops that one: what it started is paid for.
 */
export const SCHEDULE_OVERLAPS = ['skip', 'buffer-one', 'buffer-all', 'allow-all'] as const;
export type ScheduleOverlap = (typeof SCHEDULE_OVERLAPS)[number];

export const DEFAULT_SCHEDULE = {
  overlap: 'skip',
  catchup: '1h',
  backfill: 'buffer-all',
} as const satisfies {
  overlap: ScheduleOverlap;
  /** How late a firing may be, after an outage of the Temporal server. */
  catchup: Duration;
  /** The overlap of a backfill: all of its times are the same moment, so that `skip` would fire once. */
  backfill: ScheduleOverlap;
};

export interface FiringInput extends JobSettings, Continued<FiredRun> {
  target: ScheduleTarget;
  /** By which times and which clock it fires. */
  spec: ScheduleTimes;
  timezone: string;
}

/** The run that a firing started, or found under the key of its time. */
export interface FiredRun {
  key: string;
  workflowId: string;
  runId: string;
  /** Whether it was there before: the same time fires once, however often it is asked for. */
  existing: boolean;
  /** The run ended before its end could be subscribed to: no signal will come. */
  isOver?: boolean;
  /** Of a batch: the digest of the manifest that it is of. */
  digest?: string;
  /** What in that may not be meant so, if anything. */
  warnings?: string[];
}

/** How the run of a firing ended, in the words of the command contract. */
export interface FiredEnd {
  status: 'succeeded' | 'failed' | 'held' | 'abandoned' | 'cancelled' | 'terminated';
  error: string | null;
}

export interface FiringResult extends Omit<FiredRun, 'isOver'>, FiredEnd {
  schedule: string;
  /** The time it fired for, which may be long before it did. ISO 8601. */
  time: string;
}

/** Firings that a schedule skipped since it was made, by reason, as the Temporal server counts them. */
export interface SkippedFirings {
  /** The one before was open. */
  overlap: number;
  /** The server was away for longer than the catch-up window. */
  catchup: number;
  /** More waited for the one before than the server keeps. */
  buffer: number;
}

export function skippedFirings({ info, raw }: ScheduleDescription): SkippedFirings {
  return {
    overlap: info.numActionsSkippedOverlap,
    catchup: info.numActionsMissedCatchupWindow,
    buffer: Number(raw.info?.bufferDropped ?? 0),
  };
}

export interface StartFiredOrder extends Pick<
  FiringInput,
  'target' | 'spec' | 'timezone' | 'poll' | 'submit'
> {
  schedule: string;
  /** ISO 8601 */
  time: string;
}

export interface ReadFiredEndOrder {
  schedule: string;
  workflowId: string;
  /** It said that it ends, and is waited for a little. */
  isEnding: boolean;
}

export interface WorkspaceClockInput {
  scope?: Scope;
}

export interface ScheduleActivities {
  /** Starts what a firing is for, once, and has it tell its end to the firing. */
  startFired: (order: StartFiredOrder) => Promise<FiredRun>;
  /** Null while it runs. */
  readFiredEnd: (order: ReadFiredEndOrder) => Promise<FiredEnd | null>;
  readWorkspaceClock: (order: WorkspaceClockInput) => Promise<WorkspaceClock>;
}
