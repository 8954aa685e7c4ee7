import { Command, CommanderError } from 'commander';
import { ApiError, InvalidRequestError, NotConfiguredError, TransportError } from '../api/errors';
import { ConfigError, unknownSettings } from '../config';
import * as errors from '../errors';
import { VERSION } from '../platform/package';
import { NO_JOB } from '../client/report';
import {
  endWithReader,
  env,
  EXIT,
  type ExitCode,
  io,
  type Io,
  ConnectionLostError,
  printJson,
  reasonOf,
  say,
  UnreachableError,
  UsageError,
  withIo,
} from './lib/io';

/** The commands of each file, which is loaded when one is asked for. It holds the flags; Temporal is loaded later. */
const FILES: [string[], () => Promise<{ addTo: (program: Command) => void }>][] = [
  [['media', 'retry'], () => import('./jobs/media.js')],
  [['campaign'], () => import('./campaign/index.js')],
  [['batch'], () => import('./batch/index.js')],
  [['outlook'], () => import('./outlook.js')],
  [['schedule'], () => import('./schedule/index.js')],
  [['transcript', 'wait'], () => import('./jobs/records.js')],
  [['held', 'resolve'], () => import('./jobs/held.js')],
  [['report'], () => import('./report/index.js')],
  [['get'], () => import('./get.js')],
  [['project'], () => import('./project.js')],
  [['notify'], () => import('./notify.js')],
  [['doctor', 'setup'], () => import('./setup.js')],
  [['schema'], () => import('./schema.js')],
  [['init'], () => import('./init.js')],
  [['completion'], () => import('./completion.js')],
  [['worker', 'dev', 'demo', 'sandbox', 'temporal'], () => import('./servers/index.js')],
];

const EXITS = `
Exit: 0 done · 1 failed, cancelled or not there · 2 wrong flags, settings or input ·
3 held: a person must decide · 4 Temporal, the service or a port cannot be reached · 5 stopped waiting; the run continues.`;

/** Runs one command and returns its exit code. `argv` begins as `process.argv` does. */
export async function main(argv: string[], given: Io = process): Promise<number> {
  if (given === process) endWithReader();
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

/** The command with the file of the named subcommand; without a name with all of them, for --help. */
export async function segueCommand(named?: string): Promise<Command> {
  const program = new Command('segue')
    .description('Runs slow, paid media work on Temporal: never twice, never lost.')
    .version(VERSION)
    .showHelpAfterError('(try --help)')
    .addHelpText('afterAll', EXITS)
    .configureOutput({
      writeOut: (text) => io().stdout.write(text),
      writeErr: (text) => io().stderr.write(text),
    })
    .exitOverride();
  if (named === '--version' || named === '-V') return program;
  const asked = FILES.filter(([names]) => names.includes(named ?? ''));
  for (const [, load] of asked.length > 0 ? asked : FILES) (await load()).addTo(program);
  return program;
}

/** Expected errors by exit code; others are printed with their stack. */
const EXPECTED: [ExitCode, (abstract new (...args: never) => Error)[]][] = [
  [
    EXIT.wrongInput,
    [
      ...[CommanderError, UsageError, ConfigError, InvalidRequestError, NotConfiguredError],
      ...[errors.InvalidInput, errors.KeyReused, errors.DecisionRefused],
      ...[errors.NotRepeated, errors.ScheduleExists],
    ],
  ],
  [
    // NotSetUp is here because nothing that was typed is wrong.
    EXIT.unreachable,
    [
      ...[UnreachableError, TransportError, errors.UnreachableAddress, errors.NoAnswer],
      ...[errors.NoTimezone, errors.NotSetUp, errors.TemporalUnreachable],
    ],
  ],
  [EXIT.failed, [errors.NoSuchJob, errors.NoSuchSchedule, ApiError]],
];

function expectedExit(error: unknown): ExitCode | undefined {
  // The sandbox is a separate package with its own class of this name.
  if (error instanceof Error && error.name === 'UnusableFile') return EXIT.wrongInput;
  const [code] = EXPECTED.find(([, types]) => types.some((type) => error instanceof type)) ?? [];
  return code ?? (isUnreachable(error) ? EXIT.unreachable : undefined);
}

const GRPC_UNAVAILABLE = 14;
const GRPC_DEADLINE_EXCEEDED = 4;

/** The SDK wraps the gRPC error of a broken connection as a cause. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (error.name === 'NamespaceNotFoundError') return true;
  return code === GRPC_UNAVAILABLE || code === GRPC_DEADLINE_EXCEEDED || isUnreachable(error.cause);
}

function report(error: unknown, json: boolean): ExitCode {
  // Commander has printed its message, or the help.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const code = expectedExit(error);
  const message = reasonOf(error);
  if (json) {
    const isOfJob = error instanceof ConnectionLostError || error instanceof errors.NotRepeated;
    const { workflowId = null, runId = null, key = null } = isOfJob ? error.job : {};
    const status = error instanceof ConnectionLostError ? 'running' : 'failed';
    printJson({ ...NO_JOB, workflowId, runId, key, status, error: message });
  }
  const stack = code === undefined && error instanceof Error ? error.stack : undefined;
  if (!(error instanceof CommanderError)) say(stack ?? message);
  return code ?? EXIT.failed;
}
