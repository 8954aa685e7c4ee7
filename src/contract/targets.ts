/** Where results go: into a project, and to a person. */

export interface ProjectRef {
  resourcetype: string;
  id: string;
}

/** Where a job's result is set in a project's data. */
export interface WriteTarget {
  project: ProjectRef;
  /** JSON pointer into the project's data. */
  at: string;
  /** Where it is said, instead, that there is no result: what stands at `at` is an earlier one that was paid for. */
  failedAt?: string;
}

/** Of what a person is told: that a job is done, that it failed, that it waits for a decision. */
export const NOTIFY_EVENTS = ['completed', 'failed', 'needsInput'] as const;
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

export interface NotifyTarget {
  userId: string;
  workspaceId: string;
  threadId?: string;
  link?: string;
  ctaLabel?: string;
  /** Default: all of them. */
  on?: NotifyEvent[];
}

/** What became of a notification. `uncertain` may have been sent, and is not sent again. */
export interface NoticeOutcome {
  status: 'sent' | 'uncertain' | 'refused' | 'notSent';
  reason?: string;
}

export type ChangeOutcome = { ok: true } | { ok: false; error: string };
