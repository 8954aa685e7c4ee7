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

/** Temporal went away while a command waited for a job. The job goes on. */
export class LostSightError extends UnreachableError {
  constructor(
    readonly job: { workflowId: string; runId: string; key: string },
    cause: unknown,
    follow: string,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Lost sight of ${job.workflowId}, which goes on: ${reason}\nFollow it: ${follow}`, { cause });
  }
}

/** The command line itself is wrong. */
export class UsageError extends Error {}
