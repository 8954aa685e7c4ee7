/** What a campaign finds out about its workspace before it produces anything. */

/** The clock of a workspace, for reminders and weeks. */
export interface WorkspaceClock {
  timezone: string;
  /** 1 is Monday, 7 Sunday. */
  startOfWeek: number;
  /** What was missing or unknown, and what stands for it. */
  remarks: string[];
}

/** A list that was read to its end and condensed. */
export interface ListSummary {
  count: number;
  /** The first few, each cut to a bounded text. */
  excerpt: string[];
  /** Whether there was more than is read. */
  more: boolean;
}

export interface ResearchSummary {
  at: string;
  drafts: ListSummary | null;
  /** By task id, with how often each verb occurs. */
  activity: Record<string, ListSummary & { verbs: Record<string, number> }>;
  boards: Record<string, { excerpt: string }>;
  /** What could not be read, and why. */
  remarks: string[];
}
