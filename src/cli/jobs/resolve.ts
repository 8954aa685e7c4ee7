import { type Command } from 'commander';
import { loadStarterConfig } from '../../config';
import { type DecisionAction } from '../../contract';
import { DecisionRefusedError, InvalidInputError, NoAnswerError } from '../../errors';
import { mediaKeyOf, mediaWorkflowId } from '../../contract/ids';
import { type DecisionMade, type Job } from '../../client/jobs/job';
import { inParallel } from '../../platform/parallel';
import { validateTaskId } from '../../validation/inputs';
import { NO_JOB } from '../../client/report';
import { adviceForHold, adviceLines } from '../lib/advice';
import { type Connected, withTemporal } from '../lib/connect';
import { EXIT, type ExitCode, UsageError } from '../lib/exit';
import { env, exiting, osUser, print, printJson, say } from '../lib/io';

interface ResolveFlags {
  adopt?: string;
  force?: boolean;
  resubmit?: boolean;
  abandon?: boolean;
  reason?: string;
  by?: string;
  hold?: string;
  where?: string;
  yes?: boolean;
  json?: boolean;
}

export function addTo(program: Command): void {
  program
    .command('resolve [workflow-id]')
    .description('decide a job that is held or overdue; a key will do for its id')
    .option('--adopt <task>', 'the service has it: go on with this task')
    .option('--force', 'adopt without asking the service whether it knows the task')
    .option('--resubmit', 'the service does not have it: submit it again, and pay for that')
    .option('--abandon', 'nobody needs it: end it')
    .option('--reason <text>', 'why; it is kept with the job')
    .option('--by <name>', 'who decides (default: the user of this machine)')
    .option('--hold <hold>', 'only this hold, as `held --json` names it (default: the open one)')
    .option('--where <query>', 'decide every held or overdue job that this query of Temporal finds')
    .option('--yes', 'with --where: decide them; without it, they are only listed, and the exit code is 2')
    .option('--json', 'print one JSON object; with --where one a line')
    .addHelpText('after', '\nA decision that is sent twice is taken once.')
    .action(exiting(resolve));
}

async function resolve(id: string | undefined, flags: ResolveFlags): Promise<ExitCode> {
  const decision = decisionFrom(id, flags);
  const config = loadStarterConfig(env());
  return withTemporal(async (connected) => {
    const segue = connected.segue(config);
    const decideOne = async (workflowId: string): Promise<ExitCode> =>
      decideJob(await segue.job(workflowId), decision, flags);
    if (flags.where === undefined) return decideOne(workflowIdOf(id ?? '') ?? '');
    const ids = await findUndecided(connected, flags.where);
    if (ids.length === 0) {
      say('No held or overdue job matches.');
      return EXIT.done;
    }
    requireYes(ids, decision.action, flags);
    const codes = await inParallel(AT_ONCE, ids, decideOne);
    const refused = codes.filter((code) => code !== EXIT.done).length;
    say(`${codes.length - refused} decided${refused > 0 ? `, ${refused} not` : ''}`);
    return codes.find((code) => code !== EXIT.done) ?? EXIT.done;
  });
}

/** A run takes few decisions at a time, and a worker has other things to do. */
const AT_ONCE = 5;

/** The decision that the flags make, or one message with everything that is wrong, before anything is sent. */
function decisionFrom(id: string | undefined, flags: ResolveFlags): DecisionMade {
  const { adopt, force, resubmit, abandon, reason = '', by = osUser(), hold, where, yes } = flags;
  const given: [DecisionAction, boolean][] = [
    ['adopt', adopt !== undefined],
    ['resubmit', resubmit === true],
    ['abandon', abandon === true],
  ];
  const [action, ...others] = given.flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  const problems: string[] = [];
  if ((id === undefined) === (where === undefined))
    problems.push('which job? Give its workflow id, or --where for all that a query finds; one of them');
  if (id !== undefined && workflowIdOf(id) === undefined)
    problems.push(`"${id}" is neither a key nor the id of a media job, a transcript or a wait`);
  if (action === undefined || others.length > 0)
    problems.push('what is decided? Give one of --adopt TASK, --resubmit, --abandon');
  if (adopt?.trim() === '') problems.push('--adopt: must name a task');
  else problems.push(...validateTaskId(adopt).map((problem) => problem.replace(/^taskId/, '--adopt')));
  if (adopt !== undefined && where !== undefined)
    problems.push('--adopt: one task cannot be adopted by many jobs; decide them one by one');
  if (force && adopt === undefined) problems.push('--force: goes with --adopt');
  if (hold !== undefined && where !== undefined) problems.push('--hold: names the hold of one job');
  if (where?.trim() === '') problems.push('--where: must be a query of Temporal');
  if (yes && where === undefined) problems.push('--yes: goes with --where');
  if (reason.trim() === '') problems.push('--reason: say why; it is kept with the job');
  if (by.trim() === '') problems.push('--by: must be a name');
  if (problems.length > 0 || action === undefined)
    throw new InvalidInputError(problems, 'Nothing was decided');
  return { action, taskId: adopt, force, by, reason, hold };
}

/** What a person means: the id of a run that may ask, or the key of a media job. */
function workflowIdOf(text: string): string | undefined {
  if (/^(transcript|record)\/[^/]+$/.test(text)) return text;
  const key = mediaKeyOf(text);
  return key === undefined ? undefined : mediaWorkflowId(key);
}

async function decideJob(job: Job, decision: DecisionMade, { json }: ResolveFlags): Promise<ExitCode> {
  const { workflowId } = job;
  try {
    const { applied, earlier } = await job.resolve(decision);
    if (json) {
      printJson({ ...(await job.report()), applied });
    } else if (applied) {
      const task = decision.taskId === undefined ? '' : ` task ${decision.taskId}`;
      print(`${workflowId}: ${decision.action}${task}, decided by ${decision.by}`);
    } else {
      const whose = earlier ? `, by ${earlier.by} at ${earlier.at}: ${earlier.reason}` : '';
      print(`${workflowId}: was decided already${whose}`);
    }
    return EXIT.done;
  } catch (error) {
    const isRefused = error instanceof DecisionRefusedError;
    if (!isRefused && !(error instanceof NoAnswerError)) throw error;
    if (json) {
      const report = isRefused ? await job.report() : { ...NO_JOB, ...job.started() };
      printJson({ ...report, applied: false, error: error.message });
    }
    say(error.message);
    const hold = isRefused ? (await job.state())?.hold : undefined;
    if (hold) adviceLines(adviceForHold(workflowId, hold)).forEach(say);
    return isRefused ? EXIT.wrongInput : EXIT.unreachable;
  }
}

const MOST_NAMED = 10;

/** Many jobs are decided only with --yes: without it, the command lists what it would decide. */
function requireYes(ids: string[], action: DecisionAction, { yes }: ResolveFlags): void {
  const jobs = ids.length === 1 ? '1 job' : `${ids.length} jobs`;
  say(`${jobs} to ${action}:`);
  for (const id of ids.slice(0, MOST_NAMED)) say(`  ${id}`);
  if (ids.length > MOST_NAMED) say(`  and ${ids.length - MOST_NAMED} more`);
  if (!yes) throw new UsageError(`Nothing was decided. --yes decides ${jobs}.`);
}

const GRPC_INVALID_ARGUMENT = 3;

/** Ids of the jobs that wait for a decision and match. */
async function findUndecided({ temporal }: Connected, where: string): Promise<string[]> {
  const { DECIDABLE, UNDECIDED } = await import('../../client/jobs/held.js');
  const { findRuns } = await import('../../runs/ownRun.js');
  const ids: string[] = [];
  try {
    for await (const run of findRuns(temporal, `${UNDECIDED} AND (${where})`, DECIDABLE))
      ids.push(run.workflowId);
  } catch (error) {
    const { isGrpcServiceError, ServiceError } = await import('@temporalio/client');
    const failure = error instanceof ServiceError ? error.cause : error;
    if (!isGrpcServiceError(failure) || (failure.code as number) !== GRPC_INVALID_ARGUMENT) throw error;
    throw new UsageError(`--where: Temporal does not understand the query: ${failure.details}`);
  }
  return ids;
}
