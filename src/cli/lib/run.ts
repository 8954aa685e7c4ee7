/** `run`, `start` and `follow` of all nouns: start a run once, wait for it, show or deliver its result. */
import { type Command } from 'commander';
import { parseDuration } from '../../contract/durations';
import { type Job, type JobState } from '../../client/jobs/job';
import { type JobReport } from '../../client/report';
import { type Run } from '../../client/run';
import { type SegueClient } from '../../client/segueClient';
import { adviceLines, decisionAdvice, followCommand, retryCommand } from './advice';
import { type Connected, withSegue } from './connect';
import { age } from './format';
import { type Draw } from './screen';
import { EXIT, EXIT_OF, type ExitCode, exiting, ConnectionLostError, print, printJson, say } from './io';

export interface JsonFlag {
  json?: boolean;
}

export interface WaitFlags extends JsonFlag {
  timeout?: string;
}

export interface Shows<State, R extends Run<State>, Flags extends WaitFlags = WaitFlags> {
  /** Its name with the article: `a batch`. */
  a: string;
  /** Flags of `run` and `follow` besides --json and --timeout. */
  addFlags?: (command: Command) => Command;
  validateFlags?: (flags: Flags) => string[] | Promise<string[]>;
  show: (report: JobReport, run: R) => void | Promise<void>;
  watch: () => Draw<State>;
  /** Delivers a result in another way, for example as files; undefined when `show` is to print it. */
  deliver?: (report: JobReport, flags: Flags) => Promise<ExitCode | undefined>;
}

/** Starts a run, or finds the one that its key has; `ifExists` says what that means. */
export type Go<R extends Run> = (
  start: (segue: SegueClient) => Promise<R>,
  ifExists: (run: R) => string,
) => Promise<ExitCode>;

/** Checks what was typed before Temporal is contacted, then calls `go`. */
export type Begin<R extends Run, Flags> = (argument: string, flags: Flags, go: Go<R>) => Promise<ExitCode>;

export function addRun<State, R extends Run<State>, Flags extends WaitFlags>(
  command: Command,
  noun: Shows<State, R, Flags>,
  begin: Begin<R, Flags>,
): Command {
  return addBegin(addWaitFlags(command, noun), begin, (run, flags) => follow(run, flags, noun));
}

export function addStart<R extends Run, Flags extends JsonFlag>(
  command: Command,
  begin: Begin<R, Flags>,
): Command {
  return addBegin(addJson(command), begin, printStarted);
}

export function addJson(command: Command, about = 'print one JSON object'): Command {
  return command.option('--json', about);
}

export function addWaitFlags<State, R extends Run<State>, Flags extends WaitFlags>(
  command: Command,
  { a, addFlags = (same) => same }: Shows<State, R, Flags>,
): Command {
  const about = `stop waiting after this long; the ${withoutArticle(a)} continues`;
  return addFlags(addJson(command).option('--timeout <duration>', about));
}

function withoutArticle(a: string): string {
  return a.replace(/^an? /, '');
}

function addBegin<R extends Run, Flags extends JsonFlag>(
  command: Command,
  begin: Begin<R, Flags>,
  then: (run: R, flags: Flags) => Promise<ExitCode>,
): Command {
  const work = (): Promise<ExitCode> => {
    const flags = command.opts<Flags>();
    return begin(command.args[0] ?? '', flags, (start, ifExists) =>
      withSegue(async (segue, connected) => {
        const run = await start(segue);
        if (run.existing) await sayThatItExists(run, ifExists(run));
        await sayWhenNobodyPolls(connected, run.taskQueue);
        return then(run, flags);
      }),
    );
  };
  return command.action(exiting(work));
}

export async function sayThatItExists(run: Run, meaning: string): Promise<void> {
  const { status } = await run.report();
  say(`${run.workflowId} exists: started ${age(run.startedAt.toISOString())} ago, ${status}. ${meaning}`);
}

export async function sayWhenNobodyPolls({ temporal }: Connected, taskQueue: string): Promise<void> {
  const { pollersOf } = await import('../../runs/query.js');
  if ((await pollersOf(temporal, taskQueue, 'workflow')).length === 0)
    say(
      `No worker polls the task queue "${taskQueue}": the work waits until you start one with \`segue worker\`.`,
    );
}

export async function printStarted(run: Run, { json }: JsonFlag, more: object = {}): Promise<ExitCode> {
  if (json) printJson({ ...(run.existing ? await run.report() : run.started()), ...more });
  else {
    print(run.workflowId);
    say(`follow it: ${followCommand(run)}`);
  }
  return EXIT.done;
}

/** Waits for the end, the first hold, or the end of the waiting, then shows the run. */
export async function follow<State, R extends Run<State>, Flags extends WaitFlags>(
  run: R,
  flags: Flags,
  { a, show, watch, deliver }: Shows<State, R, Flags>,
): Promise<ExitCode> {
  say(`waiting for ${run.workflowId}; Ctrl-C stops waiting, not the ${withoutArticle(a)}`);
  const draw = flags.json ? undefined : watch();
  const report = await stoppable(flags, (signal) =>
    (draw ? drawEach(run.progress({ signal }), draw) : run.wait({ signal })).catch((error: unknown) => {
      throw new ConnectionLostError(run, error, followCommand(run));
    }),
  );
  draw?.clear?.();
  const hasResult = report.status === 'succeeded' || report.status === 'unsaved';
  const delivered = hasResult ? await deliver?.(report, flags) : undefined;
  // A batch shows its own advice, and a campaign is not retried.
  if (report.status === 'unsaved' && deliver && !flags.json)
    say(`To write it again: ${retryCommand(report)}`);
  if (delivered !== undefined) return delivered === EXIT.done ? EXIT_OF[report.status] : delivered;
  if (flags.json) printJson(report);
  else await show(report, run);
  if (report.status === 'running') say(`Stopped waiting; it continues. Follow it: ${followCommand(run)}`);
  return EXIT_OF[report.status];
}

async function drawEach<State>(
  states: AsyncGenerator<State, JobReport>,
  draw: Draw<State>,
): Promise<JobReport> {
  for (;;) {
    const { done, value } = await states.next();
    if (done) return value;
    draw(value);
  }
}

/** A longer timer fires at once. */
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

export const JOB: Pick<Shows<JobState, Job>, 'show' | 'watch'> = {
  watch: () => (state) => {
    const task = state.taskId ? `, task ${state.taskId}` : '';
    const polls = state.polls > 0 ? `, polls: ${state.polls}` : '';
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
    if (hold) adviceLines(decisionAdvice(job.workflowId, hold)).forEach(say);
  },
};

export function headline({ workflowId, status, taskId }: JobReport): string {
  return `${workflowId} ${status}${taskId ? ` (task ${taskId})` : ''}`;
}
