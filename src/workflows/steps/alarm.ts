/** Alarms: a person is needed. Each is sent to the operator and to the job's user, at most once. */
import { CancellationScope, isCancellation, log, metricMeter } from '@temporalio/workflow';
import { type Hold } from '../../contract';
import { formatDuration } from '../../contract/durations';
import { bodyOf, type Message, notifyOperator, notifyUser, oneLine } from '../lib/notify';
import { extraOf, type Job } from './job';
import { decisionList, MEANING } from './visibility';

const TITLES: Record<Hold['why'], string> = {
  unknown: 'A job needs your decision',
  missing: 'The service no longer knows a job',
  overdue: 'A job takes longer than expected',
};

/** Log and metric come before the notification: the service, which sends it, may be down. */
export function raiseAlarm(why: string, facts: Record<string, unknown>): void {
  log.error('a person is needed', { why, ...facts });
  metricMeter.createCounter('segue_alarms').add(1, { why });
}

interface Alarm extends Pick<Message, 'event' | 'title' | 'denied'> {
  why: Hold['why'] | 'denied';
  reason: string;
  meaning: string;
  todo: string;
}

/** Notifies once that a job waits for a decision. Cancel the scope once it is decided. */
export function alarm(job: Job, { n, why, reason }: Omit<Hold, 'since'>): CancellationScope {
  return raise(job, {
    why,
    event: why === 'overdue' ? `overdue-${n}` : `held-${n}`,
    title: TITLES[why],
    reason,
    meaning: MEANING[why],
    todo: decisionList(job),
  });
}

/** Notifies once that the service denies access, as submission `n` met first. Cancel the scope once it does not. */
export function alarmOfDenial(
  job: Job,
  { n, status, reason }: { n: number; status?: number; reason: string },
  graceMs: number,
): CancellationScope {
  return raise(job, {
    why: 'denied',
    // A resubmit, days later, may meet another denial, which is another event.
    event: `denied-${n}`,
    title: 'The service denies access',
    reason,
    denied: { status, scope: job.input.scope },
    meaning: `Nothing was accepted. Jobs wait for ${formatDuration(graceMs)} for a credential that works, then they fail.`,
    todo:
      '- Look at the credential of the workers: `segue doctor`\n' +
      '- Other jobs that meet the same are not notified one by one: `segue media list --stage waiting`',
  });
}

function raise(job: Job, { why, event, title, reason, meaning, todo, denied }: Alarm): CancellationScope {
  const { input, tool } = job;
  raiseAlarm(why, { key: input.key, reason, ...job.facts() });
  const message: Message = {
    category: 'agentNeedsInput',
    event,
    title,
    message: oneLine(`${tool} for ${input.key}: ${reason}`),
    body: bodyOf(`the job \`${input.key}\` (${tool}) waits for a person. ${reason}`, meaning, todo),
    extra: extraOf(job),
    denied,
  };
  const operatorKnows = job.isOperatorNotified;
  job.isOperatorNotified = false;
  const sending = scopeOfSending();
  job.alarms += 1;
  sending
    .run(() => sendAlarm(job, message, operatorKnows))
    .catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    })
    .finally(() => {
      job.alarms -= 1;
    });
  return sending;
}

/** A cancellation from before the hold does not end it, so it must not end its notification. */
function scopeOfSending(): CancellationScope {
  if (!CancellationScope.current().consideredCancelled) return new CancellationScope();
  return new CancellationScope({ cancellable: true, parent: new CancellationScope({ cancellable: false }) });
}

async function sendAlarm(job: Job, message: Message, operatorKnows: boolean): Promise<void> {
  const { notify } = job.input;
  const wantsToKnow = notify && (notify.on?.includes('needsInput') ?? true);
  const outcomes = await Promise.all([
    ...(operatorKnows ? [] : [notifyOperator(job, message)]),
    ...(wantsToKnow ? [notifyUser(job, notify, message)] : []),
  ]);
  for (const outcome of outcomes)
    if (outcome.status !== 'sent')
      log.warn('an alarm may not have arrived', { event: message.event, ...outcome });
}
