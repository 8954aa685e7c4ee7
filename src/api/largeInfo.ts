/** Stands for an `info` that is too large to keep: what it was, and how to get it. */
export interface LargeInfo {
  segue: 'too large to keep';
  bytes: number;
  /** Of its JSON; null where not all of it came in time: `bytes` is how many did. */
  sha256: string | null;
  /** The command that reads it from the service. */
  fetch: string;
}

export function isLargeInfo(info: unknown): info is LargeInfo {
  const { segue, bytes } = (info ?? {}) as Partial<LargeInfo>;
  return segue === 'too large to keep' && typeof bytes === 'number';
}
