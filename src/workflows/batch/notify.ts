/** The notifications of a batch, each event at most once. */
import { log, sleep } from '@temporalio/workflow';
import { type BatchNotice, type BatchResult, type NoticeOutcome } from '../../contract';
import { adviceOnStopped } from '../../contract/advice';
import { bodyOf, type Message, notifyOperator, notifyUser, oneLine } from '../lib/notify';
import { raiseAlarm } from '../steps/alarm';
import { type Concern, concernsOf } from './concerns';
import { type Batch, isNewTrouble } from './state';

/** One notification for the whole batch, not one for each held item or each partition in trouble. */
export function notifyChanges(run: Batch): void {
  const isTroubleNew = isNewTrouble(run.progress, run.trouble !== null, Date.now());
  for (const concern of concernsOf(run)) {
    if (concern.event !== 'trouble') notifyOnce(run, concern);
    else if (isTroubleNew) notify(run, concern, `trouble-${(run.progress.troubles += 1)}`);
  }
}

export function notifyOnce(run: Batch, concern: Concern): void {
  const { event } = concern;
  const { notified } = run.progress;
  if (notified.includes(event)) return;
  notified.push(event);
  notify(run, concern, event);
}

function notify(run: Batch, { event: why, title, what, advice }: Concern, event: string): void {
  const { key } = run.input;
  const message = oneLine(`Batch ${key}: ${what}`);
  const words = {
    event,
    title,
    message,
    body: bodyOf(`batch \`${key}\`: ${what}.`, run.countsLine, ...advice),
  };
  raiseAlarm(why, { batch: key, reason: message });
  const notice = { words, since: new Date().toISOString() };
  run.progress.notices.push(notice);
  void send(run, notice);
}

export function resumeNotices(run: Batch): void {
  for (const notice of run.progress.notices) void send(run, notice);
}

/** Retries may outlive the run, which waits only for an attempt in flight before it continues as new. */
async function send(run: Batch, notice: BatchNotice): Promise<void> {
  const { words, since, nextAt } = notice;
  const rest = async (ms: number): Promise<void> => {
    notice.nextAt = new Date(Date.now() + ms).toISOString();
    run.noticesInFlight -= 1;
    await sleep(ms, { summary: 'until the operator is notified again' });
    run.noticesInFlight += 1;
  };
  run.noticesInFlight += 1;
  const left = nextAt === undefined ? 0 : Date.parse(nextAt) - Date.now();
  if (left > 0) await rest(left);
  const message: Message = { ...words, category: 'agentError', extra: { batch: run.input.key } };
  const { status, reason } = await notifyOperator(run, message, { begun: Date.parse(since), rest });
  if (status !== 'sent') log.warn('a notification was not sent', { event: words.event, status, reason });
  const { notices } = run.progress;
  notices.splice(notices.indexOf(notice), 1);
  run.noticesInFlight -= 1;
}

/** Nobody is notified of a cancellation: somebody asked for it. */
export async function notifyEnd(run: Batch, status: BatchResult['status']): Promise<NoticeOutcome | null> {
  const { counts } = run;
  const { key, notify } = run.input;
  const isGood = counts.succeeded === run.input.manifest.items;
  const isWanted =
    notify?.on?.includes(isGood ? 'completed' : counts.held > 0 ? 'needsInput' : 'failed') ?? true;
  if (!notify || status === 'cancelled' || !isWanted) return null;
  const follow = [
    ...(run.heldJobs > 0 ? ['Held items continue as separate jobs: `segue held`'] : []),
    ...(counts.unsaved > 0
      ? [
          `Results that projects did not take are kept, and are written again by: \`segue batch retry ${key}\``,
        ]
      : []),
    ...(run.stopped ? adviceOnStopped(key, run.stopped) : []),
  ];
  return notifyUser(run, notify, {
    category: isGood ? 'agentTaskCompleted' : 'agentError',
    event: status,
    title: isGood ? 'Your batch is done' : 'Your batch is over, with problems',
    message: oneLine(`${key}: ${run.countsLine}`),
    body: bodyOf(`\`${key}\` is over. ${run.countsLine}`, ...follow, `\`segue batch results ${key}\``),
    extra: { batch: key, status, ...counts },
  });
}
