/** What a command's exit code tells a script. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongInput: 2,
  held: 3,
  unreachable: 4,
  stillRunning: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Temporal, the API or a port that a command needs cannot be had. */
export class UnreachableError extends Error {}

/** The command line itself is wrong. */
export class UsageError extends Error {}
