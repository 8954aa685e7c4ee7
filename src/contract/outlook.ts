/** The rolling outlook of a campaign: what moved in the last weeks, kept in its project. */
import { type Scope } from '../api/scope';
import { type Duration } from './durations';
import { type DraftsSearch, type ResearchSpec } from './campaigns';
import { type NoticeOutcome, type NotifyTarget, type ProjectRef } from './targets';

export const OUTLOOK_WORKFLOW = 'outlook';
/** Tells one person one thing, once. Only outlooks start it. */
export const NUDGE_WORKFLOW = 'nudge';

/** Defaults: how many weeks an outlook keeps, and after how long without a change a board is silent. */
export const DEFAULT_OUTLOOK = { weeks: 8, silentAfter: '14d' } as const;
export const MOST_OUTLOOK_WEEKS = 53;

export interface OutlookInput {
  /** Names this look, not the outlook: one that is run again needs another. */
  key: string;
  scope?: Scope;
  project: ProjectRef;
  /** JSON pointer to the campaign in the project's data; the outlook stands in its member `outlook`. */
  at?: string;
  drafts?: DraftsSearch;
  /** Ids of tasks whose activity is counted. */
  activity?: string[];
  boards?: string[];
  weeks?: number;
  silentAfter?: Duration;
  /** Who is nudged; nobody when left out. */
  notify?: Omit<NotifyTarget, 'on'>;
}

/** What was seen to happen in a week. What happens between two looks is seen by the second. */
export interface OutlookWeek {
  /** Its first day, `2026-03-02`. */
  week: string;
  /** How many there are, and by how many more or fewer they became; null where none are looked at. */
  drafts: { total: number; new: number; gone: number } | null;
  /** Entries of all tasks, and how often each verb is among the new ones. */
  activity: { total: number; new: number; verbs: Record<string, number> };
  /** New entries by task, where there are any. */
  tasks: Record<string, number>;
  /** Boards that changed. */
  boards: string[];
  /** The notable ones, in words. */
  changes: string[];
}

/** The outlook as it stands in the project. Nothing in it tells when it was made: without news it stays as it is. */
export interface Outlook {
  timezone: string;
  /** 1 is Monday, 7 Sunday. */
  startOfWeek: number;
  /** Oldest first. */
  weeks: OutlookWeek[];
  /** What the last look that brought news saw: the next one is compared with it. */
  seen: {
    /** `of` tells which drafts were counted. */
    drafts: { total: number; of: string } | null;
    activity: Record<string, { total: number; verbs: Record<string, number> }>;
  };
  /** By board, what it was like and since when it is so, as far as was seen. */
  boards: Record<string, { digest: string; since: string }>;
  /** By subject, the week in which somebody was nudged. */
  nudged: Record<string, string>;
  remarks: string[];
}

/** What a person is nudged about. */
export type Nudge = { about: 'approval' } | { about: 'board'; board: string; since: string };

export interface NudgeInput {
  to: Omit<NotifyTarget, 'on'>;
  nudge: Nudge;
  project: ProjectRef;
  /** The one in which it goes out. */
  week: string;
  /** Whose working hours it keeps. */
  timezone: string;
  scope?: Scope;
  /** JSON pointer to the campaign in the project's data: what is done by then is not nudged about. */
  place: string;
}

/** What tells whether something is to be nudged about. */
export interface NudgeCheck {
  scope?: Scope;
  project: ProjectRef;
  /** JSON pointer to the campaign in the project's data. */
  at: string;
  nudge: Nudge;
}

/** `before`: another run has told it, or is about to. `planned`: it goes out then, if it is still due. */
export type NudgeOutcome = NoticeOutcome | { status: 'before' } | { status: 'planned'; at: string };

export interface OutlookResult {
  key: string;
  /** The week of this look. */
  week: string;
  /** Whether there was news, and the project got it. */
  written: boolean;
  nudges: (Nudge & { notified: NudgeOutcome })[];
  remarks: string[];
  finishedAt: string;
}

export interface OutlookOrder extends ResearchSpec {
  scope?: Scope;
  project: ProjectRef;
  at: string;
  weeks: number;
  silentAfterMs: number;
  /** Whether there is somebody to nudge. */
  nudge: boolean;
}

/** What a look at the service and the project gives. */
export interface OutlookNews {
  week: string;
  /** The outlook to write; null where the project has it already. */
  outlook: Outlook | null;
  /** What is due now, and marked so in the outlook. */
  nudges: Nudge[];
  /** The workspace, by the one name that all runs have for it; null where nobody is nudged. */
  organization: string | null;
  /** Whose working hours nudges keep, and in which week they go out. */
  timezone: string;
  nudgeWeek: string;
  remarks: string[];
  /** The run that looked. */
  lookedBy?: string;
}

export interface OutlookActivities {
  readOutlook: (order: OutlookOrder) => Promise<OutlookNews>;
  /** Whether a nudge that had to wait is still due, by what the project says. */
  isStillDue: (check: NudgeCheck) => Promise<boolean>;
}
