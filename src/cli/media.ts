import { type Command } from 'commander';
import { mediaTools, type MediaTool } from '../api/tools';
import { type MediaSpec, SegueClient } from '../client';
import { loadStarterConfig, type TemporalConfig } from '../config';
import { submitTaskQueue } from '../ids';
import { type MediaJob } from '../job';
import { type Connected, withTemporal } from './connect';
import { EXIT, type ExitCode } from './exit';
import { addRequestFlags, durationFlag, requestFrom } from './flags';
import { readRequestFile } from './input';
import { pollersOf } from './pollers';
import { print, printJson, say } from './print';
import { printReport, sayThatItExists, waitForJob } from './waiting';
import { describeWatching } from './watching';

interface MediaFlags extends Record<string, unknown> {
  key?: string;
  input?: string;
  organization?: string;
  space?: string;
  json?: boolean;
  timeout?: string;
}

export function addTo(program: Command): void {
  const media = program.command('media').description('run one media job');
  const run = media
    .command('run')
    .description('start a job and wait for its result; Ctrl-C stops waiting, not the job');
  const start = media.command('start').description('start a job and return at once');
  for (const [name, tool] of Object.entries(mediaTools)) {
    jobCommand(run, name, tool)
      .option('--timeout <duration>', 'stop waiting after this long; the job goes on', durationFlag)
      .action(async (flags: MediaFlags) => {
        process.exitCode = await runJob(await specFrom(name, tool, flags), flags);
      });
    jobCommand(start, name, tool).action(async (flags: MediaFlags) => {
      process.exitCode = await startJob(await specFrom(name, tool, flags), flags);
    });
  }
  media
    .command('show <key>')
    .description('show how a job stands')
    .option('--json', 'print one JSON object')
    .action(async (key: string, flags: MediaFlags) => {
      process.exitCode = await withJob(key, async (job) => {
        printReport(await job.report(), flags);
        return EXIT.done;
      });
    });
  media
    .command('follow <key>')
    .description('wait for the result of a job that was started')
    .option('--json', 'print one JSON object')
    .option('--timeout <duration>', 'stop waiting after this long; the job goes on', durationFlag)
    .action(async (key: string, flags: MediaFlags) => {
      process.exitCode = await withJob(key, (job) => waitForJob(job, flags, followCommand(job)));
    });
}

function jobCommand(parent: Command, name: string, tool: MediaTool): Command {
  const command = parent.command(name).description(tool.about);
  addRequestFlags(command, tool);
  return command
    .option('--input <file>', 'take the request from a JSON file, - for stdin; flags go over it')
    .option('--key <key>', 'what makes it the same job; the same key never submits twice (default: a digest)')
    .option('--organization <id>', "workspace, instead of the worker's own")
    .option('--space <id>', "sub-space, instead of the worker's own")
    .option('--json', 'print one JSON object');
}

async function specFrom(name: string, tool: MediaTool, flags: MediaFlags): Promise<MediaSpec> {
  const { key, organization, space, input } = flags;
  const fromFile = input === undefined ? {} : await readRequestFile(input);
  const scope = organization === undefined && space === undefined ? undefined : { organization, space };
  return { key, tool: name, request: { ...fromFile, ...requestFrom(tool, flags) }, scope };
}

async function startJob(spec: MediaSpec, flags: MediaFlags): Promise<ExitCode> {
  return withStartedJob(spec, async (job, { config }) => {
    if (flags.json) {
      printJson(job.existing ? await job.report() : job.started());
    } else {
      print(job.workflowId);
      for (const line of describeWatching(config, job, followCommand(job))) say(line);
    }
    return EXIT.done;
  });
}

async function runJob(spec: MediaSpec, flags: MediaFlags): Promise<ExitCode> {
  return withStartedJob(spec, (job) => waitForJob(job, flags, followCommand(job)));
}

function followCommand({ key }: MediaJob): string {
  return `segue media follow ${key}`;
}

async function withStartedJob(
  spec: MediaSpec,
  work: (job: MediaJob, connected: { config: TemporalConfig }) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadStarterConfig();
  return withTemporal(async (connected) => {
    const job = await new SegueClient(connected.temporal, config).media.start(spec);
    if (job.existing) await sayThatItExists(job);
    await sayWhenNobodyPolls(connected, config.taskQueue);
    return work(job, connected);
  });
}

async function withJob(key: string, work: (job: MediaJob) => Promise<ExitCode>): Promise<ExitCode> {
  const config = loadStarterConfig();
  return withTemporal(async ({ temporal }) => work(await new SegueClient(temporal, config).media.get(key)));
}

async function sayWhenNobodyPolls({ temporal }: Connected, taskQueue: string): Promise<void> {
  const workflows = await pollersOf(temporal, taskQueue, 'workflow');
  const submits = await pollersOf(temporal, submitTaskQueue(taskQueue), 'activity');
  if (workflows.length > 0 && submits.length > 0) return;
  say(
    `No worker polls the task queue "${taskQueue}": the job waits for one. Start it with \`segue worker\`.`,
  );
}
