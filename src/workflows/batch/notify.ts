/** The notifications of a batch, each event at most once. */
import { log, metricMeter, sleep } from '@temporalio/workflow';
import {
  type BatchEvent,
  type BatchNotice,
  type BatchResult,
  type NoticeOutcome,
  type StoppedItems,
} from '../../contract';
import { letter, type Message, oneLine, tellOperator, tellUser } from '../lib/notify';
import { type Batch, isNewTrouble } from './state';
import { restLines, stoppedLines } from './status';

/** A counter, by `why`. */
const ALARMS = 'segue_alarms';

interface Mail {
  title: string;
  message: string;
  /** Its paragraphs. */
  body: string[];
}

/** One notification for the whole batch, not one for each held item or each partition in trouble. */
export function notifyChanges(run: Batch): void {
  const { heldJobs, stopped, trouble, late, progress } = run;
  const { incomplete } = progress;
  if (heldJobs > 0) notifyOnce(run, 'held', heldMail);
  if (incomplete !== null) notifyOnce(run, 'incomplete', () => incompleteMail(run, incomplete));
  if (stopped !== null) notifyOnce(run, 'stopped', () => stoppedMail(run, stopped));
  if (isNewTrouble(progress, trouble !== null, Date.now()))
    notifyOperator(run, 'trouble', troubleMail(run, trouble ?? ''));
  if (late !== null) notifyOnce(run, 'late', () => lateMail(run, late));
}

/** The process that handed the manifest over was stopped, and did not come back. */
export function notifyAbsent(run: Batch): void {
  notifyOnce(run, 'absent', absentMail);
}

function notifyOnce(run: Batch, event: BatchEvent, mail: (run: Batch) => Mail): void {
  const { notified } = run.progress;
  if (notified.includes(event)) return;
  notified.push(event);
  notifyOperator(run, event, mail(run));
}

function heldMail({ input: { key }, countsLine }: Batch): Mail {
  return {
    title: 'Items of a batch need your decision',
    message: `Batch ${key} goes on; some of its items wait for a person.`,
    body: [
      `the batch \`${key}\` goes on, but some of its items wait for a person.`,
      countsLine,
      'Each of them is a run of its own now. You are not told of them one by one.',
      `- What waits, and the commands that decide it: \`segue held\``,
    ],
  };
}

function incompleteMail({ input: { key }, countsLine }: Batch, reason: string): Mail {
  return {
    title: 'A part of a batch is not run',
    message: `Batch ${key} lacks a part of its manifest: ${reason}`,
    body: [
      `a part of the manifest of the batch \`${key}\` was not handed over, and is not run. ${reason}`,
      countsLine,
      'What was handed over goes on, and is not to be started again.',
      `- What became of each line that was: \`segue batch results ${key}\``,
    ],
  };
}

function stoppedMail({ input: { key }, countsLine }: Batch, stopped: StoppedItems): Mail {
  const { reason } = stopped;
  return {
    title: 'A part of a batch was stopped',
    message: `Batch ${key} goes on without some of its items: ${reason}`,
    body: [
      `the batch \`${key}\` goes on without some of its items: ${reason}.`,
      countsLine,
      ...stoppedLines(key, stopped),
      'Where more of its partitions are stopped, you are not told again.',
    ],
  };
}

function absentMail({ input, absent: numbers, countsLine, progress }: Batch): Mail {
  const { key } = input;
  const { partitions, arrivedAt, startedAt } = progress;
  const absent = `${numbers.length} of ${partitions.length} partitions were not handed over`;
  return {
    title: 'A batch waits for the rest of its manifest',
    message: `Batch ${key} waits: ${absent}`,
    body: [
      `the batch \`${key}\` waits for the rest of its manifest: ${absent}, and nobody does so since ${arrivedAt ?? startedAt}.`,
      countsLine,
      'What was handed over goes on, and is not submitted again.',
      ...restLines(input),
      `- Or do without it, and end: \`segue batch cancel ${key} --by NAME\``,
    ],
  };
}

function troubleMail({ input: { key } }: Batch, trouble: string): Mail {
  return {
    title: 'Batch stalled: the service is in trouble',
    message: `Batch ${key} waits for the service: ${trouble}`,
    body: [
      `the batch \`${key}\` waits for the service. ${trouble}`,
      'Nothing is lost: it submits and polls again until the service answers. It goes on by itself.',
      '- Look at the service and at the credential of the workers: `segue doctor`',
    ],
  };
}

function lateMail({ input: { key }, countsLine }: Batch, late: string): Mail {
  return {
    title: 'Batch stalled: slow tasks take all its slots',
    message: `Batch ${key}: ${late}`,
    body: [
      `in the batch \`${key}\` ${late}.`,
      countsLine,
      'Nothing is lost: they are polled on and on, and others begin when they are over. You are not told of it again.',
      `- Let others begin beside them: \`segue batch concurrency ${key} --to N --by NAME\``,
    ],
  };
}

/** Log and metric come first: the service, which sends the notification, may be what is down. */
function notifyOperator(run: Batch, why: BatchEvent, { title, message, body }: Mail): void {
  const event = why === 'trouble' ? `trouble-${(run.progress.troubles += 1)}` : why;
  const words = { event, title, message: oneLine(message), body: letter(...body) };
  log.error('a person is needed', { batch: run.input.key, why, reason: words.message });
  metricMeter.createCounter(ALARMS).add(1, { why });
  const notice = { words, since: new Date().toISOString() };
  run.progress.notices.push(notice);
  void send(run, notice);
}

/** What the previous run could not send. */
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
  const { status, reason } = await tellOperator(run, message, { begun: Date.parse(since), rest });
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
    ...(run.heldJobs > 0 ? ['Those that are held go on as runs of their own: `segue held`'] : []),
    ...stoppedLines(key, run.stopped),
  ];
  return tellUser(run, notify, {
    category: isGood ? 'agentTaskCompleted' : 'agentError',
    event: status,
    title: isGood ? 'Your batch is done' : 'Your batch is over, with problems',
    message: oneLine(`${key}: ${run.countsLine}`),
    body: letter(`\`${key}\` is over. ${run.countsLine}`, ...follow, `\`segue batch results ${key}\``),
    extra: { batch: key, status, ...counts },
  });
}
