/** The `segue` command. */
import { Command, CommanderError } from 'commander';
import { ApiError, InvalidRequestError, NotConfiguredError, TransportError } from '../api/errors';
import { ConfigError, unknownSettings } from '../config';
import * as errors from '../errors';
import { VERSION } from '../platform/package';
import { NO_JOB } from '../client/report';
import { EXIT, type ExitCode, LostSightError, UnreachableError, UsageError } from './lib/exit';
import { env, io, type Io, printJson, say, withIo } from './lib/io';

/**
 * Loaded only when asked for. These files tell the flags; what a command then does, and Temporal, the HTTP client, the
 * bundler and the image library with it, is loaded when the flags are right.
 */
const COMMANDS: Record<string, () => Promise<{ addTo: (program: Command) => void }>> = {
  media: () => import('./jobs/media.js'),
  campaign: () => import('./campaign/index.js'),
  batch: () => import('./batch/index.js'),
  outlook: () => import('./outlook.js'),
  schedule: () => import('./schedule/index.js'),
  transcript: () => import('./jobs/transcript.js'),
  wait: () => import('./jobs/wait.js'),
  held: () => import('./jobs/held.js'),
  resolve: () => import('./jobs/resolve.js'),
  retry: async () => ({ addTo: (await import('./jobs/media.js')).addRetryTo }),
  get: () => import('./get.js'),
  project: () => import('./project.js'),
  notify: () => import('./notify.js'),
  doctor: () => import('./doctor.js'),
  setup: () => import('./setup.js'),
  schema: () => import('./schema.js'),
  worker: () => import('./servers/worker.js'),
  dev: () => import('./servers/dev.js'),
  demo: () => import('./servers/demo.js'),
  sandbox: () => import('./servers/sandbox.js'),
  temporal: () => import('./servers/temporal.js'),
};

/** Runs one command and returns its exit code. `argv` begins as `process.argv` does. */
export async function main(argv: string[], given: Io = process): Promise<number> {
  await withIo(given, async () => {
    for (const name of unknownSettings(env()))
      say(`warning: ${name} is not a setting of Segue and is ignored`);
    try {
      const program = await segueCommand(argv[2]);
      await program.parseAsync(argv);
    } catch (error) {
      io().exitCode = report(error, argv.includes('--json'));
    }
  });
  return Number(given.exitCode ?? EXIT.done);
}

/** The command with the one subcommand that was named, or with all of them when none was: help lists them. */
export async function segueCommand(named?: string): Promise<Command> {
  const program = new Command('segue')
    .description('Runs slow, paid media work on Temporal: never twice, never lost.')
    .version(VERSION)
    .showHelpAfterError('(--help tells more)')
    .configureOutput({
      writeOut: (text) => io().stdout.write(text),
      writeErr: (text) => io().stderr.write(text),
    })
    .exitOverride();
  for (const load of commandsFor(named)) (await load()).addTo(program);
  inheritSettings(program);
  return program;
}

function commandsFor(named: string | undefined) {
  if (named === '--version' || named === '-V') return [];
  const only = named !== undefined && Object.hasOwn(COMMANDS, named) ? COMMANDS[named] : undefined;
  return only ? [only] : Object.values(COMMANDS);
}

/** Commander copies these to subcommands only when they are made after the setting; ours are made by other files. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inheritSettings(child);
  }
}

function report(error: unknown, json: boolean): ExitCode {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const code = exitCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const isOfJob = error instanceof LostSightError || error instanceof errors.NotRepeatedError;
    const { workflowId = null, runId = null, key = null } = isOfJob ? error.job : {};
    const status = error instanceof LostSightError ? 'running' : 'failed';
    printJson({ ...NO_JOB, workflowId, runId, key, status, error: message });
  }
  if (error instanceof CommanderError) return code;
  const foreseen = [errors.NoSuchJobError, errors.NoSuchScheduleError, errors.ManifestNotKeptError, ApiError];
  const unforeseen = code === EXIT.failed && !foreseen.some((type) => error instanceof type);
  say(unforeseen && error instanceof Error ? (error.stack ?? message) : message);
  return code;
}

function exitCodeOf(error: unknown): ExitCode {
  const wrongInput = [
    CommanderError,
    UsageError,
    ConfigError,
    errors.InvalidInputError,
    InvalidRequestError,
    NotConfiguredError,
    errors.KeyReusedError,
    errors.DecisionRefusedError,
    errors.NotRepeatedError,
    errors.ScheduleExistsError,
  ];
  if (wrongInput.some((type) => error instanceof type)) return EXIT.wrongInput;
  // The sandbox, a package of its own, has its own class of this name.
  if (error instanceof Error && error.name === 'UnusableFileError') return EXIT.wrongInput;
  // A namespace that is not set up, too: nothing that was typed is wrong, and `doctor` says 4 to the same.
  const unreachable = [
    UnreachableError,
    errors.UnreachableAddressError,
    errors.NoAnswerError,
    errors.NoTemporalError,
    errors.NoTimezoneError,
    errors.NotSetUpError,
    TransportError,
  ];
  if (unreachable.some((type) => error instanceof type) || isUnreachable(error)) return EXIT.unreachable;
  return EXIT.failed;
}

const GRPC_UNAVAILABLE = 14;
const GRPC_DEADLINE_EXCEEDED = 4;

/** A connection that was there and broke: the SDK wraps the gRPC error as a cause. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (error.name === 'NamespaceNotFoundError') return true;
  return code === GRPC_UNAVAILABLE || code === GRPC_DEADLINE_EXCEEDED || isUnreachable(error.cause);
}
