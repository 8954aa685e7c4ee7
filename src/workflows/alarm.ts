/** Tells people that a run needs one of them. */
import { CancellationScope, isCancellation, log, metricMeter } from '@temporalio/workflow';
import { type Hold } from '../contract';
import { type Message, tellOperator, tellUser } from './notice';
import { type Run } from './progress';
import { commandsOf, MEANING } from './words';

const TITLES: Record<Hold['why'], string> = {
  unknown: 'A job needs your decision',
  missing: 'The service no longer knows a job',
  overdue: 'A job takes longer than expected',
};

/** Counter, by `why`: alarms are written with this name. */
const HOLDS = 'segue_holds';

/**
 * Says once that a person is needed: to log and metric at once, because the service may be what is down, then to the
 * operator and to the job's own user. Gives what stops the telling, once it is decided.
 */
export function alarm(run: Run, { n, why, reason }: Omit<Hold, 'since'>): CancellationScope {
  const { input, progress } = run;
  log.error('a person is needed', { key: input.key, why, reason, taskId: progress.taskId });
  metricMeter.createCounter(HOLDS).add(1, { why });

  const message: Message = {
    category: 'agentNeedsInput',
    event: why === 'overdue' ? `overdue-${n}` : `held-${n}`,
    title: TITLES[why],
    message: `${input.tool} for ${input.key}: ${reason}`.replace(/\s+/g, ' ').slice(0, 300),
    body: bodyOf(run, why, reason),
    extra: { job_key: input.key, ...(progress.taskId === null ? {} : { task_id: progress.taskId }) },
  };
  const telling = new CancellationScope();
  telling.run(() => tellAll(run, message)).catch(ignoreEnd);
  return telling;
}

async function tellAll({ input }: Run, message: Message): Promise<void> {
  const { notify, key } = input;
  const wantsToKnow = notify && (notify.on?.includes('needsInput') ?? true);
  await Promise.all([tellOperator(key, message), ...(wantsToKnow ? [tellUser(notify, key, message)] : [])]);
}

function bodyOf(run: Run, why: Hold['why'], reason: string): string {
  return [
    'Hello,',
    `the job \`${run.input.key}\` (${run.input.tool}) waits for a person. ${reason}`,
    MEANING[why],
    ...commandsOf(run).map(({ when, command }) => `- If ${when}: \`${command}\``),
    'Segue',
  ].join('\n\n');
}

function ignoreEnd(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
