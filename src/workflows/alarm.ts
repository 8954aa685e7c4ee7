/** Tells people that a run needs one of them. */
import { CancellationScope, isCancellation, log, metricMeter } from '@temporalio/workflow';
import { type Hold } from '../contract';
import { type Following } from './following';
import { extraOf, type Message, tellOperator, tellUser } from './notice';
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
export function alarm(run: Following, { n, why, reason }: Omit<Hold, 'since'>): CancellationScope {
  const { input, subject } = run;
  log.error('a person is needed', { key: input.key, why, reason, ...subject.facts() });
  metricMeter.createCounter(HOLDS).add(1, { why });

  const message: Message = {
    category: 'agentNeedsInput',
    event: why === 'overdue' ? `overdue-${n}` : `held-${n}`,
    title: TITLES[why],
    message: `${subject.tool} for ${input.key}: ${reason}`.replace(/\s+/g, ' ').slice(0, 300),
    body: bodyOf(run, why, reason),
    extra: extraOf(run),
  };
  const telling = new CancellationScope();
  telling.run(() => tellAll(run, message)).catch(ignoreEnd);
  return telling;
}

async function tellAll({ input, subject }: Following, message: Message): Promise<void> {
  const { notify } = input;
  const { requestName } = subject;
  const wantsToKnow = notify && (notify.on?.includes('needsInput') ?? true);
  await Promise.all([
    tellOperator(requestName, message),
    ...(wantsToKnow ? [tellUser(notify, requestName, message)] : []),
  ]);
}

function bodyOf(run: Following, why: Hold['why'], reason: string): string {
  return [
    'Hello,',
    `the job \`${run.input.key}\` (${run.subject.tool}) waits for a person. ${reason}`,
    MEANING[why],
    ...commandsOf(run).map(({ when, command }) => `- If ${when}: \`${command}\``),
    'Segue',
  ].join('\n\n');
}

function ignoreEnd(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
