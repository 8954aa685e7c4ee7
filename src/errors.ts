/** What a starter can meet, to be told apart by type. */
import { hostname } from 'node:os';
import { type MediaInput } from './contract';

class SegueError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Thrown before anything is sent, with every problem of the input. */
export class InvalidInputError extends SegueError {
  constructor(
    readonly problems: string[],
    what = 'The job was not started',
  ) {
    super(`${what}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Thrown when a manifest is not what was checked any more while it is handed over. The batch is there: what was handed
 * over goes on, and it waits for the rest.
 */
export class ManifestChangedError extends InvalidInputError {
  constructor(problems: string[]) {
    super(problems, 'Not all of the manifest was handed over');
  }
}

export function assertValid(problems: string[], what?: string): void {
  if (problems.length > 0) throw new InvalidInputError(problems, what);
}

/** Thrown when a key already belongs to a job that asks for something else. That job is not touched. */
export class KeyReusedError extends SegueError {
  constructor(
    readonly key: string,
    readonly workflowId: string,
    advice = 'choose another key',
  ) {
    super(`The key ${key} belongs to ${workflowId}, which asks for something else; ${advice}`);
  }
}

/** Thrown when there is no job with this key. */
export class NoSuchJobError extends SegueError {
  constructor(readonly workflowId: string) {
    super(
      `There is no run ${workflowId}; it was never started, or closed longer ago than the namespace keeps runs`,
    );
  }
}

/** Thrown when there is no schedule with this name. */
export class NoSuchScheduleError extends SegueError {
  constructor(readonly schedule: string) {
    super(`There is no schedule ${schedule}; \`segue schedule list\` shows those that there are`);
  }
}

/** Thrown when a name already belongs to a schedule that asks for something else. That one is not touched. */
export class ScheduleExistsError extends SegueError {
  constructor(readonly schedule: string) {
    super(
      `There is a schedule ${schedule} already, and it asks for something else; it was left as it is. ` +
        'Choose another name, or delete it first.',
    );
  }
}

/** Thrown when the time zone of the workspace cannot be had, and none was given. */
export class NoTimezoneError extends SegueError {
  constructor(why: string, options?: ErrorOptions) {
    super(
      `The time zone of the workspace cannot be read, so nothing was scheduled: ${why}\n` +
        'Give the zone itself, like --timezone Europe/Berlin.',
      options,
    );
  }
}

/** Thrown when a decision is not taken; the message says why, and what can be decided. The run stays as it is. */
export class DecisionRefusedError extends SegueError {}

/** Thrown when a run cannot be asked, since no worker answers for it. It may be asked again. */
export class NoAnswerError extends SegueError {
  constructor(
    readonly workflowId: string,
    /** Whether a worker is there, as far as the server knows. */
    why: string,
    /** Whether the run may still do what it was told. */
    order: UnansweredOrder = 'notSent',
  ) {
    const advice =
      order === 'sent'
        ? `The server keeps the order for ${workflowId} until a worker takes it; look at the run then. ` +
          'The same order, sent again, is carried out once.'
        : `Nothing was changed in ${workflowId}. Try again when a worker answers.`;
    super(`${why}. ${advice}`);
  }
}

export type UnansweredOrder = 'sent' | 'notSent';

/** Thrown when a job is not run again: it runs, is held or has succeeded, or the service may still work on it. */
export class NotRepeatedError extends SegueError {
  constructor(
    readonly job: { workflowId: string; runId: string; key: string },
    message: string,
    /** What was asked of the run that is left alone, and its task, where another run can go on with it. */
    readonly left?: { input: MediaInput; taskId: string | null },
  ) {
    super(message);
  }
}

/** Thrown for a file that cannot be used, with everything that is wrong with it. Nothing of it was taken. */
export class UnusableFileError extends SegueError {
  constructor(
    readonly file: string,
    readonly problems: string[],
  ) {
    super([`${file} cannot be used:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/** Thrown when an address gives nothing, or only a part of what is there. It may be asked again. */
export class UnreachableAddressError extends SegueError {
  constructor(
    readonly address: string,
    reason: string,
    cause?: unknown,
  ) {
    super(`${address} cannot be read: ${reason}`, cause === undefined ? undefined : { cause });
  }
}

/**
 * Thrown when this machine cannot keep a copy of a manifest until that is handed over. Nothing is wrong with the
 * manifest, and another machine, or this one later, may have room for it.
 */
export class ManifestNotKeptError extends SegueError {
  constructor(
    readonly manifest: string,
    folder: string,
    cause: Error,
  ) {
    super(
      `${hostname()} cannot keep a copy of ${manifest} in ${folder}: ${cause.message}. ` +
        'Make room there, or name another folder with TMPDIR',
      { cause },
    );
  }
}

/** Thrown when no Temporal server can be had on this machine; the message says what was tried and what to install. */
export class NoTemporalError extends SegueError {}

/** Thrown when the namespace lacks what runs need; the message says what, and how to mend it. */
export class NotSetUpError extends SegueError {}
