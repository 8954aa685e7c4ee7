/** The notifications of a batch, each event at most once. */
import { log, metricMeter, sleep } from '@temporalio/workflow';
import { type BatchNotice, type BatchResult, type NoticeOutcome, type StoppedItems } from '../../contract';
import { type Message, tellOperator, tellUser } from '../lib/notify';
import { type Batch, isNewTrouble } from './state';
import { restLines, stoppedLines } from './status';

/** A counter, by `why`. */
const ALARMS = 'segue_alarms';

/** One notification for the whole batch, not one for each held item or each partition in trouble. */
export function notifyChanges(run: Batch): void {
  const { heldJobs, stopped, trouble, silence, late } = run;
  const { told, incomplete } = run.progress;
  if (heldJobs > 0 && !told.held) notifyHeld(run);
  told.held ||= heldJobs > 0;
  if (incomplete !== null && !told.incomplete) notifyIncomplete(run, incomplete);
  told.incomplete = incomplete !== null;
  if (stopped !== null && !told.stopped) notifyStopped(run, stopped);
  told.stopped = stopped !== null;
  if (isNewTrouble(run.progress, trouble !== null || silence !== null, Date.now()))
    if (trouble !== null) notifyTrouble(run, trouble);
    else notifySilence(run, silence ?? '');
  if (late !== null && !told.late) notifyLate(run, late);
  told.late = told.late === true || late !== null;
}

function notifyHeld(run: Batch): void {
  const { key } = run.input;
  notifyOperator(run, 'held', {
    title: 'Items of a batch need your decision',
    message: `Batch ${key} goes on; some of its items wait for a person.`,
    body: [
      `the batch \`${key}\` goes on, but some of its items wait for a person.`,
      run.countsLine,
      'Each of them is a run of its own now. You are not told of them one by one.',
      `- What waits, and the commands that decide it: \`segue held\``,
    ],
  });
}

function notifyIncomplete(run: Batch, reason: string): void {
  const { key } = run.input;
  notifyOperator(run, 'incomplete', {
    title: 'A part of a batch is not run',
    message: `Batch ${key} lacks a part of its manifest: ${reason}`,
    body: [
      `a part of the manifest of the batch \`${key}\` was not handed over, and is not run. ${reason}`,
      run.countsLine,
      'What was handed over goes on, and is not to be started again.',
      `- What became of each line that was: \`segue batch results ${key}\``,
    ],
  });
}

function notifyStopped(run: Batch, stopped: StoppedItems): void {
  const { reason } = stopped;
  const { key } = run.input;
  notifyOperator(run, 'stopped', {
    title: 'A part of a batch was stopped',
    message: `Batch ${key} goes on without some of its items: ${reason}`,
    body: [
      `the batch \`${key}\` goes on without some of its items: ${reason}.`,
      run.countsLine,
      ...stoppedLines(key, stopped),
      'Where more of its partitions are stopped, you are not told again.',
    ],
  });
}

/** The process that handed the manifest over was stopped, and did not come back. */
export function notifyAbsent(run: Batch): void {
  const { told, partitions, arrivedAt, startedAt } = run.progress;
  if (told.absent) return;
  told.absent = true;
  const { key } = run.input;
  const absent = `${run.absent.length} of ${partitions.length} partitions were not handed over`;
  notifyOperator(run, 'absent', {
    title: 'A batch waits for the rest of its manifest',
    message: `Batch ${key} waits: ${absent}`,
    body: [
      `the batch \`${key}\` waits for the rest of its manifest: ${absent}, and nobody does so since ${arrivedAt ?? startedAt}.`,
      run.countsLine,
      'What was handed over goes on, and is not submitted again.',
      ...restLines(run.input),
      `- Or do without it, and end: \`segue batch cancel ${key} --by NAME\``,
    ],
  });
}

const DOCTOR = '- Look at the service and at the credential of the workers: `segue doctor`';

function notifyTrouble(run: Batch, trouble: string): void {
  const { key } = run.input;
  notifyOperator(run, 'trouble', {
    title: 'Batch stalled: submits are not accepted',
    message: `Batch ${key} waits for the service: ${trouble}`,
    body: [
      `the batch \`${key}\` waits for the service. ${trouble}`,
      'Nothing is lost, and nothing is submitted until the service takes it. It goes on by itself.',
      DOCTOR,
    ],
  });
}

function notifySilence(run: Batch, silence: string): void {
  const { key } = run.input;
  notifyOperator(run, 'trouble', {
    title: 'A batch learns nothing of its tasks',
    message: `Batch ${key}: ${silence}`,
    body: [
      `in the batch \`${key}\` ${silence}.`,
      'Nothing is lost: they go on at the service, and are asked after on and on. It goes on by itself.',
      DOCTOR,
    ],
  });
}

function notifyLate(run: Batch, late: string): void {
  const { key } = run.input;
  notifyOperator(run, 'late', {
    title: 'Batch stalled: slow tasks take all its slots',
    message: `Batch ${key}: ${late}`,
    body: [
      `in the batch \`${key}\` ${late}.`,
      run.countsLine,
      'Nothing is lost: they are asked after on and on, and others begin when they are over. You are not told of it again.',
      `- Let others begin beside them: \`segue batch concurrency ${key} --to N --by NAME\``,
    ],
  });
}

interface Mail {
  title: string;
  message: string;
  /** Its paragraphs. */
  body: string[];
}

/** Log and metric come first: the service, which sends the notification, may be what is down. */
function notifyOperator(run: Batch, why: string, { title, message, body }: Mail): void {
  const event = why === 'trouble' ? `trouble-${(run.progress.troubles += 1)}` : why;
  const words = { event, title, message: short(message), body: letter(...body) };
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
    await sleep(ms, { summary: 'until the operator is told again' });
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

/** A cancellation is not told: somebody asked for it. */
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
    message: short(`${key}: ${run.countsLine}`),
    body: letter(`\`${key}\` is over. ${run.countsLine}`, ...follow, `\`segue batch results ${key}\``),
    extra: { batch: key, status, ...counts },
  });
}

function letter(...paragraphs: string[]): string {
  return ['Hello,', ...paragraphs, 'Segue'].join('\n\n');
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}
