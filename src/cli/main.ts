/** The `segue` command. */
import { Command, CommanderError } from 'commander';
import { InvalidInputError, KeyReusedError, NoSuchJobError } from '../client';
import { ConfigError, unknownSettings } from '../config';
import { VERSION } from '../package';
import { NoTemporalError } from '../temporal/find';
import { addDemoCommand } from './demo';
import { addDevCommand } from './dev';
import { EXIT, type ExitCode, UnreachableError } from './exit';
import { addMediaCommands } from './media';
import { printJson, say } from './print';
import { addSandboxCommand } from './sandbox';
import { addTemporalCommands } from './temporal';
import { addWorkerCommand } from './worker';

export async function main(argv: string[]): Promise<void> {
  for (const name of unknownSettings()) say(`warning: ${name} is not a setting of Segue and is ignored`);
  try {
    await segueCommand().parseAsync(argv);
  } catch (error) {
    process.exitCode = report(error, argv.includes('--json'));
  }
}

function segueCommand(): Command {
  const program = new Command('segue')
    .description('Runs slow, paid media work on Temporal: never twice, never lost.')
    .version(VERSION)
    .showHelpAfterError('(--help tells more)')
    .exitOverride();
  addMediaCommands(program);
  addWorkerCommand(program);
  addDevCommand(program);
  addDemoCommand(program);
  addSandboxCommand(program);
  addTemporalCommands(program);
  inheritSettings(program);
  return program;
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
  if (json) printJson({ ...NO_JOB, status: 'failed', error: message });
  if (error instanceof CommanderError) return code;
  const unforeseen = code === EXIT.failed && !(error instanceof NoSuchJobError);
  say(unforeseen && error instanceof Error ? (error.stack ?? message) : message);
  return code;
}

const NO_JOB = {
  workflowId: null,
  runId: null,
  key: null,
  stage: null,
  taskId: null,
  info: null,
  existing: null,
};

function exitCodeOf(error: unknown): ExitCode {
  const wrongInput = [CommanderError, ConfigError, InvalidInputError, KeyReusedError];
  if (wrongInput.some((type) => error instanceof type)) return EXIT.wrongInput;
  if (error instanceof UnreachableError || error instanceof NoTemporalError || isUnreachable(error)) {
    return EXIT.unreachable;
  }
  return EXIT.failed;
}

const GRPC_UNAVAILABLE = 14;
const GRPC_DEADLINE_EXCEEDED = 4;

/** A connection that was there and broke: the SDK wraps the gRPC error as a cause. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return code === GRPC_UNAVAILABLE || code === GRPC_DEADLINE_EXCEEDED || isUnreachable(error.cause);
}
