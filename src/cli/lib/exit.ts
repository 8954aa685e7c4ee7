/** What a command's exit code tells a script. */
import { type JobReport } from '../../client/report';

export const EXIT = {
  done: 0,
  failed: 1,
  wrongInput: 2,
  held: 3,
  unreachable: 4,
  stillRunning: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const EXIT_OF: Record<JobReport['status'], ExitCode> = {
  succeeded: EXIT.done,
  held: EXIT.held,
  running: EXIT.stillRunning,
  failed: EXIT.failed,
  abandoned: EXIT.failed,
  cancelled: EXIT.failed,
  terminated: EXIT.failed,
};

export function exitCodeOf({ status }: Pick<JobReport, 'status'>): ExitCode {
  return EXIT_OF[status];
}

export function isOpen({ status }: Pick<JobReport, 'status'>): boolean {
  return status === 'running' || status === 'held';
}

/** Temporal, the API or a port that a command needs is not available. */
export class UnreachableError extends Error {}

/** Temporal went away while a command waited for a job. The job goes on. */
export class LostSightError extends UnreachableError {
  constructor(
    readonly job: { workflowId: string; runId: string; key: string },
    cause: unknown,
    follow: string,
  ) {
    super(`Lost sight of ${job.workflowId}, which goes on: ${reasonOf(cause)}\nFollow it: ${follow}`, {
      cause,
    });
  }
}

/** The command line itself is wrong. */
export class UsageError extends Error {}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
