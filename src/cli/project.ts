import { randomUUID } from 'node:crypto';
import { type Command } from 'commander';
import { loadStarterConfig } from '../config';
import { type ProjectChange, type ProjectRef } from '../contract';
import { assertValid } from '../errors';
import { type PatchOptions, type PatchReport } from '../client/projects';
import { NO_JOB } from '../client/report';
import { withApi, withTemporal } from './lib/connect';
import { addScopeFlags, orProblem, validateTimeout, readObjectFile, type ScopeFlags } from './lib/flags';
import { addJson, type JsonFlag, sayWhenNobodyPolls, stoppable, type WaitFlags } from './lib/run';
import { env, EXIT, type ExitCode, exiting, print, printJson, say } from './lib/io';

interface PatchFlags extends ScopeFlags, WaitFlags {
  data?: string;
  title?: string;
  description?: string;
  primaryType?: string;
  changeId?: string;
}

const WORKSPACE = "by the service's id, instead of the configured one; without one, the service is asked";

export function addTo(program: Command): void {
  const project = program
    .command('project')
    .description('change a project, and see what waits to be written');
  const patchCommand = project
    .command('patch <type> <id>')
    .description('change a project through its writer, keep everything else in it, and wait for the outcome')
    .option('--data <file>', "merge this JSON into the project's data (RFC 7396: null removes), - for stdin")
    .option('--title <text>', 'new title')
    .option('--description <text>', 'new description')
    .option('--primary-type <text>', 'new category')
    .option('--change-id <id>', 'what makes it the same change, which is made once (default: a new one)')
    .option('--timeout <duration>', 'stop waiting after this long')
    .option('--json', 'print one JSON object');
  addScopeFlags(patchCommand, WORKSPACE).action(
    exiting((resourcetype: string, id: string, flags: PatchFlags) => patch({ resourcetype, id }, flags)),
  );
  addScopeFlags(addJson(project.command('status <type> <id>')), WORKSPACE)
    .description('show the run that writes a project, what waits there, and why')
    .action((resourcetype: string, id: string, flags: ScopeFlags & JsonFlag) =>
      showStatus({ resourcetype, id }, flags),
    );
}

async function patch(project: ProjectRef, flags: PatchFlags): Promise<ExitCode> {
  const config = loadStarterConfig(env());
  const { organization, space, changeId = randomUUID() } = flags;
  const options = { changeId, scope: { organization, space } };
  const change = await checkedChange(project, flags, options);
  return withTemporal(async (connected) => {
    await sayWhenNobodyPolls(connected, config.taskQueue);
    const { projects } = connected.segue(config, { findOrganization: askingService(flags) });
    const report = await stoppable(flags, (signal) =>
      projects.patch(project, change, { ...options, signal }).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      }),
    );
    return printReport(report, changeId, flags);
  });
}

function askingService(flags: ScopeFlags): () => Promise<string> {
  return async () => {
    const { organizationResolver } = await import('../api/client.js');
    return withApi(flags, (api, callOptions) => organizationResolver(api)(undefined, callOptions()));
  };
}

async function showStatus(project: ProjectRef, { json, ...scope }: ScopeFlags & JsonFlag): Promise<void> {
  const config = loadStarterConfig(env());
  const findOrganization = askingService(scope);
  const status = await withTemporal((connected) =>
    connected.segue(config, { findOrganization }).projects.status(project, { scope }),
  );
  const { workflowId, isOpen, queued, trouble } = status;
  if (json) {
    printJson(status);
    return;
  }
  print(`${workflowId}: ${isOpen ? 'running' : 'not running; the next change starts it'}`);
  print(queued.length === 0 ? 'nothing waits' : `${queued.length} waiting: ${queued.join(', ')}`);
  if (trouble)
    print(`not written since ${trouble.since}: ${trouble.lastError}; tried again at ${trouble.notBefore}`);
}

async function checkedChange(
  project: ProjectRef,
  flags: PatchFlags,
  options: PatchOptions,
): Promise<ProjectChange> {
  const problems = validateTimeout(flags);
  const { title, description, primaryType: primary_type } = flags;
  const change: ProjectChange = { fields: { title, description, primary_type } };
  if (flags.data !== undefined) {
    const merge = await orProblem(readObjectFile('--data', flags.data), problems, {});
    change.steps = [{ at: '', merge }];
  }
  const { validatePatch } = await import('../client/projects.js');
  problems.push(...validatePatch(project, change, options));
  assertValid(problems, 'The change was not sent');
  return change;
}

/** There is no report when the waiting was stopped. */
function printReport(report: PatchReport | undefined, changeId: string, { json }: PatchFlags): ExitCode {
  const error = report?.ok === false ? report.error : null;
  if (json) {
    const status = !report ? 'running' : report.ok ? 'succeeded' : 'failed';
    printJson({ ...NO_JOB, workflowId: report?.workflowId ?? null, key: changeId, status, error });
  } else if (error !== null) say(`refused: ${error}`);
  else if (report) print(`applied: change ${changeId}`);
  if (report) return report.ok ? EXIT.done : EXIT.failed;
  say(
    `Stopped waiting; the change may be made later. Asking again with --change-id ${changeId} makes it once.`,
  );
  return EXIT.stillRunning;
}
