/** What `run` and `follow` do until a job is over, and how any command shows how a job stands. */
import { parseDuration } from '../../contract/durations';
import { type Job, type JobState, type MediaJob } from '../../client/jobs/job';
import { type JobReport } from '../../client/report';
import { type Run } from '../../client/run';
import { adviceForHold, adviceLines } from './advice';
import { followCommand } from './commandLine';
import { EXIT, type ExitCode, LostSightError } from './exit';
import { print, printJson, say } from './print';
import { type SavedFile } from '../../client/files';
import { saveFiles, type SaveFlags } from '../jobs/save';

export interface WaitFlags extends SaveFlags {
  json?: boolean;
  timeout?: string;
}

export async function waitForJob(job: MediaJob, flags: WaitFlags): Promise<ExitCode> {
  const report = await untilOver(job, flags);
  const { out, at } = flags;
  if (report.status === 'succeeded' && out !== undefined && at !== undefined) {
    const { files, problem, exitCode } = await saveFiles(report, { out, at });
    if (flags.json) printJson({ ...report, files, error: problem });
    else tellSaved(report, files);
    if (problem) say(problem);
    return exitCode;
  }
  return tellWaited(job, report, flags);
}

/** How any job stands when waiting for it is over, and what that is for a script. */
export async function tellWaited(
  job: Job,
  report: JobReport,
  flags: { json?: boolean },
  follow = followCommand(job),
): Promise<ExitCode> {
  await printReport(job, report, flags);
  if (report.status === 'running') say(`Stopped waiting; the job goes on. Follow it: ${follow}`);
  return exitCodeOf(report);
}

/** Waits for the end, the first hold, or somebody who stops waiting. */
export function untilOver(job: Job, flags: WaitFlags, follow = followCommand(job)): Promise<JobReport> {
  const onChange = (state: JobState): void => {
    say(describeState(state));
  };
  return waitFor(job, flags, { onChange, follow });
}

/** The same for any run; `onChange` is told of its states, but for programs. */
export async function waitFor<State>(
  job: Run<State>,
  { json, timeout }: Pick<WaitFlags, 'json' | 'timeout'>,
  { onChange, follow = followCommand(job) }: { onChange: (state: State) => void; follow?: string },
): Promise<JobReport> {
  say(`waiting for ${job.workflowId}; Ctrl-C stops waiting, not the job`);
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const timer = timeout ? setTimeout(interrupt, timerMs(timeout)) : undefined;
  try {
    return await job.wait({ signal: stop.signal, onChange: json ? undefined : onChange });
  } catch (error) {
    throw new LostSightError(job, error, follow);
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

function describeState(state: JobState): string {
  const task = state.taskId ? `, task ${state.taskId}` : '';
  const polls = state.polls > 0 ? `, ${state.polls} poll${state.polls === 1 ? '' : 's'}` : '';
  const error = state.lastError ? ` (${state.lastError})` : '';
  return `${state.key}: ${state.stage}${task}${polls}${error}`;
}

export async function printReport(job: Job, report: JobReport, { json }: { json?: boolean }): Promise<void> {
  if (json) {
    printJson(report);
    return;
  }
  print(headline(report));
  if (report.error) print(report.error);
  if (report.info !== null) print(JSON.stringify(report.info, null, 2));
  if (report.status !== 'held' && report.stage !== 'overdue') return;
  const hold = (await job.state())?.hold;
  if (report.status === 'held')
    say('The service may work on this job already, so nothing is sent until a person decides:');
  for (const line of hold ? adviceLines(adviceForHold(job.workflowId, hold)) : []) say(line);
}

export function headline({ workflowId, status, taskId }: JobReport): string {
  return `${workflowId} ${status}${taskId ? ` (task ${taskId})` : ''}`;
}

function tellSaved(report: JobReport, files: SavedFile[]): void {
  print(headline(report));
  for (const { status, path, url, error } of files) {
    if (status === 'saved') print(path ?? '');
    else if (status === 'exists') say(`${path ?? ''} is there already and was left as it is`);
    else say(`${url} could not be saved: ${error ?? ''}`);
  }
}

/** What a job's standing is for a script. */
export function exitCodeOf({ status }: Pick<JobReport, 'status'>): ExitCode {
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
