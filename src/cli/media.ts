import { type Command } from 'commander';
import { mediaTools, type MediaTool } from '../api/tools';
import { type MediaSpec, SegueClient } from '../client';
import { loadStarterConfig, type TemporalConfig } from '../config';
import { type MediaState } from '../contract';
import { formatDuration, parseDuration } from '../durations';
import { submitTaskQueue } from '../ids';
import { type MediaJob } from '../job';
import { type JobReport } from '../report';
import { type Connected, withTemporal } from './connect';
import { EXIT, type ExitCode, LostSightError } from './exit';
import { addRequestFlags, durationFlag, requestFrom } from './flags';
import { readRequestFile } from './input';
import { pollersOf } from './pollers';
import { print, printJson, say } from './print';
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
      process.exitCode = await withJob(key, (job) => waitForJob(job, flags));
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
      for (const line of describeWatching(config, job)) say(line);
    }
    return EXIT.done;
  });
}

async function runJob(spec: MediaSpec, flags: MediaFlags): Promise<ExitCode> {
  return withStartedJob(spec, (job) => waitForJob(job, flags));
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

async function sayThatItExists(job: MediaJob): Promise<void> {
  const age = formatDuration(Date.now() - job.startedAt.getTime());
  const { status } = await job.report();
  say(
    `${job.workflowId} exists: started ${age} ago, ${status}. Nothing is submitted again; another key is another job.`,
  );
}

async function sayWhenNobodyPolls({ temporal }: Connected, taskQueue: string): Promise<void> {
  const workflows = await pollersOf(temporal, taskQueue, 'workflow');
  const submits = await pollersOf(temporal, submitTaskQueue(taskQueue), 'activity');
  if (workflows.length > 0 && submits.length > 0) return;
  say(
    `No worker polls the task queue "${taskQueue}": the job waits for one. Start it with \`segue worker\`.`,
  );
}

async function waitForJob(job: MediaJob, flags: MediaFlags): Promise<ExitCode> {
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const timer = flags.timeout ? setTimeout(interrupt, timerMs(flags.timeout)) : undefined;
  const onChange = flags.json
    ? undefined
    : (state: MediaState): void => {
        say(describeState(state));
      };
  say(`waiting for ${job.workflowId}; Ctrl-C stops waiting, not the job`);
  try {
    const report = await job.wait({ signal: stop.signal, onChange });
    printReport(report, flags);
    if (report.status === 'running')
      say(`Stopped waiting; the job goes on. Follow it: segue media follow ${job.key}`);
    return exitCodeOf(report);
  } catch (error) {
    throw new LostSightError(job, error);
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** The longest time that a timer can take; beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function timerMs(duration: string): number {
  return Math.min(parseDuration(duration) ?? 0, LONGEST_TIMER_MS);
}

function describeState(state: MediaState): string {
  const task = state.taskId ? `, task ${state.taskId}` : '';
  const polls = state.polls > 0 ? `, ${state.polls} poll${state.polls === 1 ? '' : 's'}` : '';
  const error = state.lastError ? ` (${state.lastError})` : '';
  return `${state.key}: ${state.stage}${task}${polls}${error}`;
}

function printReport(report: JobReport, flags: MediaFlags): void {
  if (flags.json) {
    printJson(report);
    return;
  }
  print(`${report.workflowId} ${report.status}${report.taskId ? ` (task ${report.taskId})` : ''}`);
  if (report.error) print(report.error);
  if (report.info !== null) print(JSON.stringify(report.info, null, 2));
  if (report.status === 'held') {
    say(
      'The service may have accepted this job, so it is not sent again. Look for it there before you start another.',
    );
  }
}

function exitCodeOf({ status }: JobReport): ExitCode {
  switch (status) {
    case 'succeeded':
      return EXIT.done;
    case 'held':
      return EXIT.held;
    case 'running':
      return EXIT.stillRunning;
    case 'failed':
    case 'abandoned':
    case 'cancelled':
    case 'terminated':
      return EXIT.failed;
  }
}
