/** `segue held` lists what needs a person, and `segue resolve` decides it. */
import { type Command } from 'commander';
import { type DecisionAction } from '../../contract';
import { mediaKeyOf, mediaWorkflowId } from '../../contract/ids';
import { DecisionRefused, InvalidInput, NoAnswer } from '../../errors';
import { type HeldJob } from '../../client/jobs/held';
import { type DecisionMade, type Job } from '../../client/jobs/job';
import { NO_JOB } from '../../client/report';
import { inParallel } from '../../platform/parallel';
import { validateTaskId } from '../../validation/inputs';
import { adviceFor, adviceLines, decisionAdvice } from '../lib/advice';
import { type Connected, withSegue } from '../lib/connect';
import { asFlags, byOption, limitFlag } from '../lib/flags';
import { age, counted, lines } from '../lib/format';
import { EXIT, type ExitCode, exiting, print, printJson, say, UsageError } from '../lib/io';
import { addJson, type JsonFlag } from '../lib/run';

export function addTo(program: Command): void {
  addJson(program.command('held'), 'print one JSON object a line')
    .description(
      'list what needs a person, oldest first: held, overdue, stopped with work under way, unsaved',
    )
    .option('--limit <n>', 'show at most this many', limitFlag, 50)
    .action(showHeld);
  addJson(program.command('resolve [workflow-id]'), 'print one JSON object; with --where one a line')
    .description('decide a job that is held or overdue; ID is a key or a workflow id')
    .option('--adopt <task>', 'the service has it: continue with this task')
    .option('--force', 'adopt without asking the service whether it knows the task')
    .option('--resubmit', 'the service does not have it: submit it again, and pay for that')
    .option('--abandon', 'it is not needed: end it')
    .option('--reason <text>', 'why; it is kept with the job')
    .addOption(byOption())
    .option('--hold <hold>', 'only this hold, as `held --json` names it (default: the open one)')
    .option('--where <query>', 'decide every held or overdue job that this query of Temporal finds')
    .option('--yes', 'with --where: decide them; without it, they are only listed, and the exit code is 2')
    .addHelpText('after', '\nA decision that is sent twice is taken once.')
    .action(exiting(resolve));
}

async function showHeld({ limit, json }: JsonFlag & { limit: number }): Promise<void> {
  const { jobs, more } = await withSegue((segue) => segue.held({ limit }));
  for (const job of jobs) {
    if (json) printJson({ ...NO_JOB, error: job.reason, ...job, next: adviceFor(job) });
    else linesOf(job).forEach(print);
  }
  const needed = jobs.length === 1 ? '1 job needs a person' : `${jobs.length} jobs need a person`;
  if (jobs.length === 0) say('Nothing needs a person.');
  else say(more > 0 ? `${needed}; up to ${more} more are not shown, --limit shows them` : needed);
}

const WHY: Record<NonNullable<HeldJob['why']>, string> = {
  unknown: 'held: the service may have accepted it',
  missing: 'held: the service no longer knows its task',
  overdue: 'overdue: the service never says that it is over',
  terminated: 'terminated with work under way',
  timedOut: 'timed out with work under way',
  unsaved: 'unsaved: the work is done and paid for, and a project did not take the result',
};

function linesOf(job: HeldJob): string[] {
  const { workflowId, why, since, reason, taskId, tool, requestId, answered, stage } = job;
  const facts = lines(
    since && `since ${since}, ${age(since)} ago`,
    reason,
    taskId && `its task is ${taskId}`,
    why !== 'overdue' && !taskId && requestId && `it was sent as X-Request-Id ${requestId}`,
    !answered && 'no worker answers for it, so only its list entry is known; start one: segue worker',
  );
  return [
    `${workflowId} (${tool ?? 'unknown tool'}) ${why ? WHY[why] : (stage ?? '')}`,
    ...facts.map((fact) => `  ${fact}`),
    ...adviceLines(adviceFor(job)),
    '',
  ];
}

interface ResolveFlags extends JsonFlag {
  adopt?: string;
  force?: boolean;
  resubmit?: boolean;
  abandon?: boolean;
  reason?: string;
  by: string;
  hold?: string;
  where?: string;
  yes?: boolean;
}

/** Decisions sent at once; a worker has other work too. */
const AT_ONCE = 5;

async function resolve(id: string | undefined, flags: ResolveFlags): Promise<ExitCode> {
  const decision = decisionFrom(id, flags);
  return withSegue(async (segue, connected) => {
    const decideOne = async (workflowId: string): Promise<ExitCode> =>
      decideJob(await segue.job(workflowId), decision, flags);
    if (flags.where === undefined) return decideOne(workflowIdOf(id ?? '') ?? '');
    const ids = await findUndecided(connected, flags.where);
    if (ids.length === 0) {
      say('No held or overdue job matches.');
      return EXIT.done;
    }
    const jobs = counted(ids.length, 'job');
    say([`${jobs} to ${decision.action}:`, ...ids].join('\n  '));
    if (!flags.yes) throw new UsageError(`Nothing was decided. --yes decides ${jobs}.`);
    const codes = await inParallel(AT_ONCE, ids, decideOne);
    const refused = codes.filter((code) => code !== EXIT.done);
    say(`${codes.length - refused.length} decided${refused.length > 0 ? `, ${refused.length} not` : ''}`);
    return refused[0] ?? EXIT.done;
  });
}

function decisionFrom(id: string | undefined, flags: ResolveFlags): DecisionMade {
  const { adopt, force, resubmit, abandon, reason = '', by, hold, where, yes } = flags;
  const actions = { adopt: adopt !== undefined, resubmit, abandon };
  const [action, ...others] = (Object.keys(actions) as DecisionAction[]).filter((name) => actions[name]);
  const problems = lines(
    (id === undefined) === (where === undefined) &&
      'which job? Give its workflow id, or --where for all that a query finds; one of them',
    id !== undefined &&
      workflowIdOf(id) === undefined &&
      `"${id}" is neither a key nor the id of a media job, a transcript or a wait`,
    (action === undefined || others.length > 0) &&
      'what is decided? Give one of --adopt TASK, --resubmit, --abandon',
    asFlags(validateTaskId(adopt), { taskId: '--adopt' }),
    actions.adopt &&
      where !== undefined &&
      '--adopt: one task cannot be adopted by many jobs; decide them one by one',
    hold !== undefined && where !== undefined && '--hold: names the hold of one job',
    force && !actions.adopt && '--force: is for --adopt',
    yes && where === undefined && '--yes: is for --where',
    reason.trim() === '' && '--reason: say why; it is kept with the job',
    by.trim() === '' && '--by: must be a name',
  );
  if (problems.length > 0 || action === undefined) throw new InvalidInput(problems, 'Nothing was decided');
  return { action, taskId: adopt, force, by, reason, hold };
}

function workflowIdOf(text: string): string | undefined {
  if (/^(transcript|record)\/[^/]+$/.test(text)) return text;
  const key = mediaKeyOf(text);
  return key === undefined ? undefined : mediaWorkflowId(key);
}

async function decideJob(job: Job, decision: DecisionMade, { json }: ResolveFlags): Promise<ExitCode> {
  const { workflowId } = job;
  const { action, taskId, by } = decision;
  try {
    const { applied, earlier } = await job.resolve(decision);
    const whose = earlier ? `, by ${earlier.by} at ${earlier.at}: ${earlier.reason}` : '';
    const done = `${action}${taskId === undefined ? '' : ` task ${taskId}`}, decided by ${by}`;
    if (json) printJson({ ...(await job.report()), applied });
    else print(`${workflowId}: ${applied ? done : `was decided already${whose}`}`);
    return EXIT.done;
  } catch (error) {
    const isRefused = error instanceof DecisionRefused;
    if (!isRefused && !(error instanceof NoAnswer)) throw error;
    // A query would time out again when no worker answers.
    const report = isRefused ? await job.report() : job.started();
    if (json) printJson({ ...report, applied: false, error: error.message });
    say(error.message);
    const hold = isRefused ? (await job.state())?.hold : undefined;
    if (hold) adviceLines(decisionAdvice(workflowId, hold)).forEach(say);
    return isRefused ? EXIT.wrongInput : EXIT.unreachable;
  }
}

async function findUndecided({ temporal }: Connected, where: string): Promise<string[]> {
  const { DECIDABLE, UNDECIDED } = await import('../../client/jobs/held.js');
  const { findRuns } = await import('../../runs/find.js');
  const { GRPC, grpcCode } = await import('../../runs/grpc.js');
  const ids: string[] = [];
  try {
    for await (const run of findRuns(temporal, `${UNDECIDED} AND (${where})`, DECIDABLE))
      ids.push(run.workflowId);
  } catch (error) {
    if (grpcCode(error) !== GRPC.invalidArgument) throw error;
    const { details } = (error as Error).cause as { details?: string };
    throw new UsageError(`--where: Temporal does not understand the query: ${details ?? ''}`);
  }
  return ids;
}
