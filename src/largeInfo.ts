/** Stands for an `info` that is too large to keep: what it was, and how to get it. */
export interface LargeInfo {
  segue: 'too large to keep';
  bytes: number;
  sha256: string;
  /** The command that reads it from the service. */
  fetch: string;
}

export function isLargeInfo(info: unknown): info is LargeInfo {
  const { segue, bytes } = (info ?? {}) as Partial<LargeInfo>;
  return segue === 'too large to keep' && typeof bytes === 'number';
}
