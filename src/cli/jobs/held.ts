import { type Command } from 'commander';
import { loadStarterConfig } from '../../config';
import { assertValid } from '../../errors';
import { type HeldJob } from '../../client/jobs/held';
import { NO_JOB } from '../../client/report';
import { adviceFor, adviceLines } from '../lib/advice';
import { withTemporal } from '../lib/connect';
import { validateLimit, softNumber } from '../lib/flags';
import { age } from '../lib/format';
import { env, print, printJson, say } from '../lib/io';

interface HeldFlags {
  limit: number;
  json?: boolean;
}

export function addTo(program: Command): void {
  program
    .command('held')
    .description('list what needs a person, oldest first: held, overdue, and stopped with work under way')
    .option('--limit <n>', 'show at most so many', softNumber, 50)
    .option('--json', 'print one JSON object a line')
    .action(showHeld);
}

async function showHeld({ limit, json }: HeldFlags): Promise<void> {
  assertValid(validateLimit({ limit }), 'Nothing was listed');
  const config = loadStarterConfig(env());
  const { jobs, more } = await withTemporal(({ segue }) => segue(config).held({ limit }));
  for (const job of jobs) {
    if (json) printJson(rowOf(job));
    else linesOf(job).forEach(print);
  }
  if (jobs.some(({ answered }) => !answered))
    say('No worker answers for some of these jobs; only their list entry is shown. Start one: segue worker');
  const needed = jobs.length === 1 ? '1 job needs a person' : `${jobs.length} jobs need a person`;
  if (jobs.length === 0) say('Nothing needs a person.');
  else say(more > 0 ? `${needed}; up to ${more} more are not shown, --limit shows them` : needed);
}

function rowOf(job: HeldJob): Record<string, unknown> {
  const { left, ...known } = job;
  return { ...NO_JOB, error: job.reason, ...known, next: adviceFor(job) };
}

const WHY: Record<NonNullable<HeldJob['why']>, string> = {
  unknown: 'held: the service may have accepted it',
  missing: 'held: the service no longer knows its task',
  overdue: 'overdue: the service never says that it is over',
  terminated: 'terminated with work under way',
  timedOut: 'timed out with work under way',
};

function linesOf(job: HeldJob): string[] {
  const { workflowId, why, since, reason, taskId, tool, requestId, answered, stage } = job;
  const facts = [
    reason,
    taskId && `its task is ${taskId}`,
    why !== 'overdue' && !taskId && requestId && `it was sent as X-Request-Id ${requestId}`,
    !answered && 'no worker answers for it',
  ];
  return [
    `${workflowId} (${tool ?? 'unknown tool'}) ${why ? WHY[why] : (stage ?? '')}`,
    ...(since ? [`  since ${since}, ${age(since)} ago`] : []),
    ...facts.flatMap((fact) => (fact ? [`  ${fact}`] : [])),
    ...adviceLines(adviceFor(job)),
    '',
  ];
}
