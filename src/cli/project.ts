import { randomUUID } from 'node:crypto';
import { type Command } from 'commander';
import { organizationResolver } from '../api/client';
import { ConfigError, loadApiConfig, loadStarterConfig, type StarterConfig } from '../config';
import { type ProjectChange, type ProjectRef } from '../contract';
import { parseDuration } from '../contract/durations';
import { requireGood } from '../errors';
import { type PatchOptions, problemsOfPatch } from '../client/projects/patchSpec';
import { type PatchReport } from '../client/projects';
import { NO_JOB } from '../client/report';
import { addScopeFlags, type ScopeFlags, withApi } from './api';
import { withTemporal } from './connect';
import { EXIT, type ExitCode, UsageError } from './exit';
import { problemsOfTimeout } from './flags';
import { readObjectFile } from './input';
import { print, printJson, say } from './print';
import { env, io } from './io';
import { sayWhenNobodyPolls } from './starting';

interface PatchFlags extends ScopeFlags {
  data?: string;
  title?: string;
  description?: string;
  primaryType?: string;
  changeId?: string;
  timeout?: string;
  json?: boolean;
}

export function addTo(program: Command): void {
  const command = program
    .command('project')
    .description('change a project')
    .command('patch <type> <id>')
    .description(
      'change a project through its one writer, keep everything else in it, and wait for the outcome',
    )
    .option('--data <file>', "merge this JSON into the project's data (RFC 7396: null removes), - for stdin")
    .option('--title <text>', 'new title')
    .option('--description <text>', 'new description')
    .option('--primary-type <text>', 'new category')
    .option('--change-id <id>', 'what makes it the same change, which is made once (default: a new one)')
    .option('--timeout <duration>', 'stop waiting after this long')
    .option('--json', 'print one JSON object');
  addScopeFlags(command).action(async (resourcetype: string, id: string, flags: PatchFlags) => {
    io().exitCode = await patch({ resourcetype, id }, flags);
  });
}

async function patch(project: ProjectRef, flags: PatchFlags): Promise<ExitCode> {
  const config = loadStarterConfig(env());
  const { organization, space, changeId = randomUUID() } = flags;
  const options = { changeId, scope: { organization, space } };
  const change = await checkedChange(project, flags, options, config);
  const findOrganization = (): Promise<string> =>
    withApi(flags, (api, callOptions) => organizationResolver(api)(undefined, callOptions()));
  return withTemporal(async (connected) => {
    await sayWhenNobodyPolls(connected, config.taskQueue);
    const { projects } = connected.segue(config, { findOrganization });
    const report = await whileWaiting(flags, (signal) =>
      projects.patch(project, change, { ...options, signal }),
    );
    return tell(report, changeId, flags);
  });
}

/** The change that the flags make, or one message with everything that is wrong, before anything is sent. */
async function checkedChange(
  project: ProjectRef,
  flags: PatchFlags,
  options: PatchOptions,
  config: StarterConfig,
): Promise<ProjectChange> {
  const problems = problemsOfTimeout(flags);
  const { title, description, primaryType: primary_type } = flags;
  const change: ProjectChange = { fields: { title, description, primary_type } };
  if (flags.data !== undefined) {
    const merge = await readObjectFile('--data', flags.data, 'to merge').catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return {};
    });
    change.steps = [{ at: '', merge }];
  }
  problems.push(...problemsOfPatch(project, change, options));
  if (!flags.organization && !config.organization) problems.push(...problemsOfAsking());
  requireGood(problems, 'The change was not sent');
  return change;
}

/** A project's writer is found by its workspace; who names none must be able to ask the service. */
function problemsOfAsking(): string[] {
  try {
    loadApiConfig(env());
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint =
      '--organization: which workspace? Give it, set SEGUE_ORGANIZATION, or let the service be asked';
    return [`${hint}: ${error.problems.join('; ')}`];
  }
}

/** The longest time that a timer can take; beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What `work` gives, or undefined when the person or the time limit stopped it. */
async function whileWaiting<T>(
  { timeout }: PatchFlags,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const ms = Math.min(parseDuration(timeout ?? '') ?? Infinity, LONGEST_TIMER_MS);
  const timer = setTimeout(interrupt, ms);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function tell(report: PatchReport | undefined, changeId: string, { json }: PatchFlags): ExitCode {
  const status = report === undefined ? 'running' : report.ok ? 'succeeded' : 'failed';
  const error = report === undefined || report.ok ? null : report.error;
  if (json) printJson({ ...NO_JOB, workflowId: report?.workflowId ?? null, key: changeId, status, error });
  else if (report?.ok) print(`applied: change ${changeId}`);
  else if (report) say(`refused: ${report.error}`);
  if (report) return report.ok ? EXIT.done : EXIT.failed;
  say(
    `Stopped waiting; the change may be made later. Asking again with --change-id ${changeId} makes it once.`,
  );
  return EXIT.stillRunning;
}
