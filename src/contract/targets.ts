/** Where results go: into a project, and to a person. */

export interface ProjectRef {
  resourcetype: string;
  id: string;
}

/** Pointers are JSON pointers into the project's data. */
export interface WriteTarget {
  project: ProjectRef;
  at: string;
  /** Gets a failure instead of `at`, which keeps an earlier result that was paid for. */
  failedAt?: string;
}

/** `needsInput`: the job waits for a decision. */
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

export type Operator = Pick<NotifyTarget, 'userId' | 'workspaceId'>;

/** `uncertain`: it may have been sent, and is not sent again. */
export interface NotificationStatus {
  status: 'sent' | 'uncertain' | 'refused' | 'notSent';
  reason?: string;
}

/** `wholeProject`: other changes of this project would fail for the same reason. */
export type ChangeOutcome = { ok: true } | { ok: false; error: string; wholeProject?: true };
