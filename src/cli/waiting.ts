/** What every command does that waits for a job. */
import { formatDuration, parseDuration } from '../durations';
import { type Job, type JobState } from '../job';
import { type JobReport } from '../report';
import { EXIT, type ExitCode, LostSightError } from './exit';
import { print, printJson, say } from './print';

export interface WaitFlags {
  json?: boolean;
  timeout?: string;
}

export async function sayThatItExists<State extends JobState, Result>(
  job: Job<State, Result>,
  more = 'Nothing is submitted again; another key is another job.',
): Promise<void> {
  const age = formatDuration(Date.now() - job.startedAt.getTime());
  const { status } = await job.report();
  say(`${job.workflowId} exists: started ${age} ago, ${status}. ${more}`);
}

/** Waits with a person or a script until the job ends, is held, or they stop waiting; `follow` takes it up again. */
export async function waitForJob<State extends JobState, Result>(
  job: Job<State, Result>,
  flags: WaitFlags,
  follow: string,
  show: (report: JobReport, flags: WaitFlags) => void | Promise<void> = printReport,
): Promise<ExitCode> {
  const report = await watchJob(job, flags, follow);
  await show(report, flags);
  if (report.status === 'running') say(`Stopped waiting; the job goes on. Follow it: ${follow}`);
  return exitCodeOf(report);
}

async function watchJob<State extends JobState, Result>(
  job: Job<State, Result>,
  flags: WaitFlags,
  follow: string,
): Promise<JobReport> {
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const timer = flags.timeout ? setTimeout(interrupt, timerMs(flags.timeout)) : undefined;
  const onChange = flags.json
    ? undefined
    : (state: State): void => {
        say(describeState(state));
      };
  say(`waiting for ${job.workflowId}; Ctrl-C stops waiting, not the job`);
  try {
    return await job.wait({ signal: stop.signal, onChange });
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

export function printReport(report: JobReport, flags: Pick<WaitFlags, 'json'>): void {
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
