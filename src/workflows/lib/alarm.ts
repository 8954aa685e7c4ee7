/** Tells people that a run needs one of them. */
import { CancellationScope, isCancellation, log, metricMeter } from '@temporalio/workflow';
import { type Hold } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { type Following } from '../steps/following';
import { extraOf, type Message, tellOperator, tellUser } from './notice';
import { commandsOf, MEANING } from '../steps/words';

const TITLES: Record<Hold['why'], string> = {
  unknown: 'A job needs your decision',
  missing: 'The service no longer knows a job',
  overdue: 'A job takes longer than expected',
};

/** Counter, by `why`: alarms are written with this name. */
const ALARMS = 'segue_alarms';

interface Alarm {
  why: Hold['why'] | 'denied';
  /** Names it among the events of the run. */
  event: string;
  title: string;
  reason: string;
  meaning: string;
  todo: string[];
  /** As in an order to tell the operator. */
  denied?: Message['denied'];
}

/** Says once that a run waits for a decision. Gives what stops the telling, once it is decided. */
export function alarm(run: Following, { n, why, reason }: Omit<Hold, 'since'>): CancellationScope {
  return raise(run, {
    why,
    event: why === 'overdue' ? `overdue-${n}` : `held-${n}`,
    title: TITLES[why],
    reason,
    meaning: MEANING[why],
    todo: commandsOf(run).map(({ when, command }) => `- If ${when}: \`${command}\``),
  });
}

/**
 * Says once that the service takes the workers' credential no more, as submission `n` met first. Gives what stops the
 * telling, once it does.
 */
export function alarmOfDenial(
  run: Following,
  { n, status, reason }: { n: number; status?: number; reason: string },
  graceMs: number,
): CancellationScope {
  return raise(run, {
    why: 'denied',
    // A job that is submitted again, days later, may meet another denial: that is another event.
    event: `denied-${n}`,
    title: 'The service denies access',
    reason,
    denied: { status, scope: run.input.scope },
    meaning: `Nothing was accepted. Jobs wait for ${formatDuration(graceMs)} for a credential that works, then they fail.`,
    todo: [
      '- Look at the credential of the workers: `segue doctor`',
      '- Other jobs that meet the same are not told one by one: `segue media list --stage waiting`',
    ],
  });
}

/**
 * To log and metric at once, because the service may be what is down; then to the operator and to the run's own user,
 * for as long as it takes.
 */
function raise(
  run: Following,
  { why, event, title, reason, meaning, todo, denied }: Alarm,
): CancellationScope {
  const { input, subject } = run;
  log.error('a person is needed', { key: input.key, why, reason, ...subject.facts() });
  metricMeter.createCounter(ALARMS).add(1, { why });
  const greeting = `the job \`${input.key}\` (${subject.tool}) waits for a person. ${reason}`;
  const message: Message = {
    category: 'agentNeedsInput',
    event,
    title,
    message: `${subject.tool} for ${input.key}: ${reason}`.replace(/\s+/g, ' ').slice(0, 300),
    body: ['Hello,', greeting, meaning, ...todo, 'Segue'].join('\n\n'),
    extra: extraOf(run),
    denied,
  };
  const operatorKnows = run.toldByBatch;
  run.toldByBatch = false;
  const telling = scopeOfTelling();
  run.alarms += 1;
  telling
    .run(() => tellAll(run, message, operatorKnows))
    .catch(ignoreEnd)
    .finally(() => {
      run.alarms -= 1;
    });
  return telling;
}

/** A cancellation from before does not end the question, so it must not end the telling of it either. */
function scopeOfTelling(): CancellationScope {
  if (!CancellationScope.current().consideredCancelled) return new CancellationScope();
  return new CancellationScope({ cancellable: true, parent: new CancellationScope({ cancellable: false }) });
}

async function tellAll(run: Following, message: Message, operatorKnows: boolean): Promise<void> {
  const { notify } = run.input;
  const wantsToKnow = notify && (notify.on?.includes('needsInput') ?? true);
  const told = await Promise.all([
    ...(operatorKnows ? [] : [tellOperator(run, message)]),
    ...(wantsToKnow ? [tellUser(run, notify, message)] : []),
  ]);
  for (const outcome of told)
    if (outcome.status !== 'sent')
      log.warn('an alarm may not have arrived', { event: message.event, ...outcome });
}

function ignoreEnd(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
