/** The outlook of a campaign: what changed in the last weeks, kept in its project. */
import { type Scope } from '../api/scope';
import { type Duration } from './durations';
import { type CampaignSpec, type PlaceOrder, type ResearchSpec } from './campaigns';
import { type NotificationStatus, type NotifyTarget, type ProjectRef } from './targets';

export const OUTLOOK_WORKFLOW = 'outlook';
export const NUDGE_WORKFLOW = 'nudge';

export const DEFAULT_OUTLOOK = { weeks: 8, silentAfter: '14d' } as const;
export const MOST_OUTLOOK_WEEKS = 53;

/** Each run has its own `key`. The outlook is in the member `outlook` at `at`. */
export interface OutlookInput extends ResearchSpec, Pick<CampaignSpec, 'key' | 'scope' | 'project' | 'at'> {
  weeks?: number;
  silentAfter?: Duration;
  notify?: Omit<NotifyTarget, 'on'>;
}

/** A change counts for the week in which it is first seen. */
export interface OutlookWeek {
  /** Its first day, `2026-03-02`. */
  week: string;
  /** Null: the spec names no drafts. */
  drafts: { total: number; new: number; gone: number } | null;
  /** Entries of all tasks, and the verbs of the new ones. */
  activity: { total: number; new: number; verbs: Record<string, number> };
  tasks: Record<string, number>;
  boards: string[];
  changes: string[];
}

/** As it is in the project. It has no date, so that it does not change without news. */
export interface Outlook {
  timezone: string;
  /** 1 is Monday, 7 Sunday. */
  startOfWeek: number;
  weeks: OutlookWeek[];
  /** The next outlook is compared with it. */
  seen: {
    /** `of`: which drafts were counted. */
    drafts: { total: number; of: string } | null;
    activity: Record<string, { total: number; verbs: Record<string, number> }>;
  };
  /** By board, its content and since when it has not changed. */
  boards: Record<string, { digest: string; since: string }>;
  /** By subject, the week of the last nudge. */
  nudged: Record<string, string>;
  remarks: string[];
}

export type Nudge = { about: 'approval' } | { about: 'board'; board: string; since: string };

export interface NudgeInput {
  to: Omit<NotifyTarget, 'on'>;
  nudge: Nudge;
  project: ProjectRef;
  /** In which it is sent. */
  week: string;
  timezone: string;
  scope?: Scope;
  place: string;
}

export interface NudgeCheck extends Omit<PlaceOrder, 'key'> {
  nudge: Nudge;
}

/** `before`: another run sends it. `planned`: it is sent then, if it is still due. */
export type NudgeOutcome = NotificationStatus | { status: 'before' } | { status: 'planned'; at: string };

export interface OutlookResult {
  key: string;
  week: string;
  written: boolean;
  nudges: (Nudge & { notified: NudgeOutcome })[];
  remarks: string[];
  finishedAt: string;
}

export interface OutlookOrder extends ResearchSpec, Omit<PlaceOrder, 'key'> {
  weeks: number;
  silentAfterMs: number;
  nudge: boolean;
}

export interface OutlookNews {
  week: string;
  /** Null: the project has it already. */
  outlook: Outlook | null;
  /** Due now, and marked so in the outlook. */
  nudges: Nudge[];
  /** The workspace, by the name that all runs use. Null: nobody is nudged. */
  organization: string | null;
  timezone: string;
  /** In which the nudges are sent. */
  nudgeWeek: string;
  remarks: string[];
  lookedBy?: string;
}

export interface OutlookActivities {
  readOutlook: (order: OutlookOrder) => Promise<OutlookNews>;
  isStillDue: (check: NudgeCheck) => Promise<boolean>;
}
