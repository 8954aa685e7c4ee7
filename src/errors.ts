export class SegueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Thrown before anything is sent, with every problem of the input. */
export class InvalidInput extends SegueError {
  constructor(
    readonly problems: string[],
    what = 'The job was not started',
  ) {
    super(`${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Thrown when a manifest changes between its check and its handover. The batch exists: what was handed over runs, and it
 * waits for the rest.
 */
export class ManifestChanged extends InvalidInput {
  constructor(problems: string[]) {
    super(problems, 'Not all of the manifest was handed over');
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function assertValid(problems: string[], what?: string): void {
  if (problems.length > 0) throw new InvalidInput(problems, what);
}

/** Thrown when a key already belongs to a job that asks for something else. That job is not touched. */
export class KeyReused extends SegueError {
  constructor(
    readonly key: string,
    readonly workflowId: string,
    advice = 'choose another key',
  ) {
    super(`The key ${key} belongs to ${workflowId}, which asks for something else; ${advice}`);
  }
}

export class NoSuchJob extends SegueError {
  constructor(readonly workflowId: string) {
    super(
      `There is no run ${workflowId}; it was never started, or closed longer ago than the namespace keeps runs`,
    );
  }
}

export class NoSuchSchedule extends SegueError {
  constructor(readonly schedule: string) {
    super(`There is no schedule ${schedule}; \`segue schedule list\` lists all schedules`);
  }
}

/** Thrown when a name already belongs to a schedule that asks for something else. That one is not touched. */
export class ScheduleExists extends SegueError {
  constructor(readonly schedule: string) {
    super(
      `The schedule ${schedule} exists and asks for something else; it was left as it is. ` +
        'Choose another name, or delete it first.',
    );
  }
}

/** Thrown when the time zone of the workspace cannot be read, and none was given. */
export class NoTimezone extends SegueError {
  constructor(why: string, options?: ErrorOptions) {
    const advice = 'Give the zone itself, like --timezone Europe/Berlin.';
    super(
      `The time zone of the workspace cannot be read, so nothing was scheduled: ${why}\n${advice}`,
      options,
    );
  }
}

/** Thrown when a decision is not taken; the message says why, and what can be decided. The run stays as it is. */
export class DecisionRefused extends SegueError {}

/** Thrown when no worker answers for a run. The call may be repeated. */
export class NoAnswer extends SegueError {
  constructor(
    readonly workflowId: string,
    /** Whether a worker is there, as far as the server knows. */
    why: string,
    /** Whether the run may still carry out the order. */
    order: UnansweredOrder = 'notSent',
  ) {
    const advice =
      order === 'sent'
        ? `The server keeps the order for ${workflowId} until a worker takes it; check the run then. ` +
          'The same order, sent again, is carried out once.'
        : `Nothing was changed in ${workflowId}. Try again when a worker answers.`;
    super(`${why}. ${advice}`);
  }
}

export type UnansweredOrder = 'sent' | 'notSent';

/** Thrown when a job is not run again: it runs, is held or has succeeded, or the service may still work on it. */
export class NotRepeated extends SegueError {
  constructor(
    readonly job: { workflowId: string; runId: string; key: string },
    message: string,
  ) {
    super(message);
  }
}

/** Thrown for a file that cannot be used, with everything that is wrong with it. Nothing of it was taken. */
export class UnusableFile extends SegueError {
  constructor(
    readonly file: string,
    readonly problems: string[],
  ) {
    super([`${file} cannot be used:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** Thrown when an address is not read to its end, or what it gives cannot be kept here. The read may be repeated. */
export class UnreachableAddress extends SegueError {
  constructor(
    readonly address: string,
    reason: string,
    cause?: unknown,
  ) {
    super(`${address} cannot be read: ${reason}`, cause === undefined ? undefined : { cause });
  }
}

/** Thrown when the namespace lacks what runs need; the message says what, and what to do. */
export class NotSetUp extends SegueError {}

/** Thrown when the Temporal server does not answer. Runs continue when it is back; the call may be repeated. */
export class TemporalUnreachable extends SegueError {}
