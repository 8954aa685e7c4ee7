/** What `run` and `follow` do until a run is over, and how they show it. */
import { parseDuration } from '../../contract/durations';
import { type Job, type JobState } from '../../client/jobs/job';
import { type JobReport } from '../../client/report';
import { type Run } from '../../client/run';
import { adviceForHold, adviceLines, followCommand } from './advice';
import { exitCodeOf, type ExitCode, LostSightError } from './exit';
import { print, printJson, say } from './io';

export interface WaitFlags {
  json?: boolean;
  timeout?: string;
}

/** How a run is shown to people. */
export interface Shows<State, R extends Run<State>> {
  show: (report: JobReport, run: R) => void | Promise<void>;
  /** Makes what is called with each new state. */
  watch: () => (state: State) => void;
}

/** Waits, shows how the run stands then, and returns what that is for a script. */
export async function follow<State, R extends Run<State>>(
  run: R,
  flags: WaitFlags,
  shows: Shows<State, R>,
  command = followCommand(run),
): Promise<ExitCode> {
  const report = await waitFor(run, flags, shows.watch(), command);
  return tellWaited(run, report, flags, shows, command);
}

export async function tellWaited<State, R extends Run<State>>(
  run: R,
  report: JobReport,
  { json }: WaitFlags,
  { show }: Shows<State, R>,
  command = followCommand(run),
): Promise<ExitCode> {
  if (json) printJson(report);
  else await show(report, run);
  if (report.status === 'running') say(`Stopped waiting; it goes on. Follow it: ${command}`);
  return exitCodeOf(report);
}

/** Waits for the end, the first hold, or somebody who stops waiting. */
export async function waitFor<State>(
  run: Run<State>,
  flags: WaitFlags,
  onChange: (state: State) => void,
  command = followCommand(run),
): Promise<JobReport> {
  say(`waiting for ${run.workflowId}; Ctrl-C stops waiting, not the job`);
  return stoppable(flags, (signal) =>
    run.wait({ signal, onChange: flags.json ? undefined : onChange }).catch((error: unknown) => {
      throw new LostSightError(run, error, command);
    }),
  );
}

/** The longest time that a timer can take; beyond it would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs `work` with a signal that Ctrl-C, SIGTERM or --timeout aborts. */
export async function stoppable<T>(
  { timeout }: WaitFlags,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => {
    stop.abort();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const ms = Math.min(parseDuration(timeout ?? '') ?? Infinity, LONGEST_TIMER_MS);
  const timer = timeout ? setTimeout(interrupt, ms) : undefined;
  try {
    return await work(stop.signal);
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** How single jobs are shown: media jobs, transcripts and waits. */
export const JOB: Shows<JobState, Job> = {
  watch: () => (state) => {
    const task = state.taskId ? `, task ${state.taskId}` : '';
    const polls = state.polls > 0 ? `, ${state.polls} poll${state.polls === 1 ? '' : 's'}` : '';
    const error = state.lastError ? ` (${state.lastError})` : '';
    say(`${state.key}: ${state.stage}${task}${polls}${error}`);
  },
  show: async (report, job) => {
    print(headline(report));
    if (report.error) print(report.error);
    if (report.info !== null) print(JSON.stringify(report.info, null, 2));
    if (report.status !== 'held' && report.stage !== 'overdue') return;
    const hold = (await job.state())?.hold;
    if (report.status === 'held')
      say('The service may work on this job already, so nothing is sent until a person decides:');
    if (hold) adviceLines(adviceForHold(job.workflowId, hold)).forEach(say);
  },
};

export function headline({ workflowId, status, taskId }: JobReport): string {
  return `${workflowId} ${status}${taskId ? ` (task ${taskId})` : ''}`;
}
