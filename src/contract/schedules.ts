/** Schedules, and the run of each firing, which starts something and waits for its end. */
import { type CalendarSpec } from '@temporalio/client';
import { type Scope } from '../api/scope';
import { type BatchInput } from './batches';
import { type Duration } from './durations';
import { type CampaignSpec, type ReadEndOrder, type WorkspaceClock } from './campaigns';
import { type OutlookInput } from './outlook';
import { type Continued, type JobSettings } from './settings';

export const FIRING_WORKFLOW = 'firing';
/** For clients, which have no credential of the service. */
export const WORKSPACE_CLOCK_WORKFLOW = 'workspaceClock';

export type ScheduleTimes =
  { cron: string } | { every: Duration } | { calendar: CalendarSpec | CalendarSpec[] };

export interface ScheduledBatch extends Pick<BatchInput, 'concurrency' | 'scope' | 'notify'> {
  /** An https address. The schedule and each history contain it, with any secret in it. */
  manifest: string;
  skipBad?: boolean;
}

/** A spec has no key, because each firing has its own. */
export type ScheduleTarget =
  | { kind: 'campaign'; spec: Omit<CampaignSpec, 'key'> }
  | { kind: 'outlook'; spec: Omit<OutlookInput, 'key'> }
  | { kind: 'batch'; spec: ScheduledBatch };

/** For a firing while the one before it is open. None of them stops that one: what it started is paid for. */
export const SCHEDULE_OVERLAPS = ['skip', 'buffer-one', 'buffer-all', 'allow-all'] as const;
export type ScheduleOverlap = (typeof SCHEDULE_OVERLAPS)[number];

export const DEFAULT_SCHEDULE = {
  overlap: 'skip',
  catchup: '1h',
  backfill: 'buffer-all',
} as const satisfies {
  overlap: ScheduleOverlap;
  catchup: Duration;
  /** The overlap of a backfill, which fires all its times at once: `skip` would fire one. */
  backfill: ScheduleOverlap;
};

export interface FiringInput extends JobSettings, Continued<FiredRun> {
  target: ScheduleTarget;
  spec: ScheduleTimes;
  timezone: string;
}

/** The run that a firing started, or found under the key of its time. */
export interface FiredRun {
  key: string;
  workflowId: string;
  runId: string;
  /** It was there before: the same time starts one run. */
  existing: boolean;
  /** It ended before it was asked to report its end. */
  isOver?: boolean;
  /** Of the manifest of a batch, like `warnings`. */
  digest?: string;
  warnings?: string[];
}

export interface FiredEnd {
  status: 'succeeded' | 'unsaved' | 'failed' | 'held' | 'abandoned' | 'cancelled' | 'terminated';
  error: string | null;
}

export interface FiringResult extends Omit<FiredRun, 'isOver'>, FiredEnd {
  schedule: string;
  /** The scheduled time; the firing may be much later. */
  time: string;
}

/** As the Temporal server counts them, by reason. */
export interface SkippedFirings {
  /** The one before was open. */
  overlap: number;
  /** The server was away for longer than the catch-up window. */
  catchup: number;
  /** More waited for the one before than the server keeps. */
  buffer: number;
}

export interface StartFiredOrder extends Omit<FiringInput, 'carried'> {
  schedule: string;
  time: string;
}

export interface ReadFiredEndOrder extends Pick<ReadEndOrder, 'workflowId' | 'isEnding'> {
  schedule: string;
}

export interface WorkspaceClockInput {
  scope?: Scope;
}

export interface ScheduleActivities {
  /** Starts the target once, and asks it to report its end to the firing. */
  startFired: (order: StartFiredOrder) => Promise<FiredRun>;
  /** Null while it runs. */
  readFiredEnd: (order: ReadFiredEndOrder) => Promise<FiredEnd | null>;
  readWorkspaceClock: (order: WorkspaceClockInput) => Promise<WorkspaceClock>;
}
