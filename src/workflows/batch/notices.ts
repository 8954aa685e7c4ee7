/** What people are told of a batch, each event at most once. */
import { log, metricMeter, sleep } from '@temporalio/workflow';
import { type BatchNotice, type BatchResult, type NoticeOutcome, type StoppedItems } from '../../contract';
import { type Message, tellOperator, tellUser } from '../lib/notify';
import {
  absentOf,
  type Batch,
  countOfHeld,
  countsOf,
  isNewTrouble,
  lateOf,
  silenceOf,
  stoppedOf,
  troubleOf,
} from './run';
import { countsLine, restLines, stoppedLines } from './stage';

/** Counter, by `why`: alarms are written with this name. */
const ALARMS = 'segue_alarms';

/** Items that are held do not tell the operator one by one, nor does each partition that cannot get on. */
export function tellWhatIsNew(run: Batch): void {
  const { told } = run.progress;
  const isHeld = countOfHeld(run) > 0;
  if (isHeld && !told.held) alarmOfHeld(run);
  told.held ||= isHeld;
  if (run.progress.incomplete !== null && !told.incomplete) alarmOfIncomplete(run, run.progress.incomplete);
  told.incomplete = run.progress.incomplete !== null;
  const stopped = stoppedOf(run);
  if (stopped !== null && !told.stopped) alarmOfStopped(run, stopped);
  told.stopped = stopped !== null;
  const [trouble, silence] = [troubleOf(run), silenceOf(run)];
  if (isNewTrouble(run.progress, trouble !== null || silence !== null, Date.now()))
    if (trouble !== null) alarmOfTrouble(run, trouble);
    else alarmOfSilence(run, silence ?? '');
  const late = lateOf(run);
  if (late !== null && !told.late) alarmOfLate(run, late);
  told.late = told.late === true || late !== null;
}

function alarmOfHeld(run: Batch): void {
  const { key } = run.input;
  raise(run, 'held', {
    event: 'held',
    title: 'Items of a batch need your decision',
    message: `Batch ${key} goes on; some of its items wait for a person.`,
    body: letter(
      `the batch \`${key}\` goes on, but some of its items wait for a person.`,
      countsLine(run),
      'Each of them is a run of its own now. You are not told of them one by one.',
      `- What waits, and the commands that decide it: \`segue held\``,
    ),
  });
}

function alarmOfIncomplete(run: Batch, reason: string): void {
  const { key } = run.input;
  raise(run, 'incomplete', {
    event: 'incomplete',
    title: 'A part of a batch is not run',
    message: short(`Batch ${key} lacks a part of its manifest: ${reason}`),
    body: letter(
      `a part of the manifest of the batch \`${key}\` was not handed over, and is not run. ${reason}`,
      countsLine(run),
      'What was handed over goes on, and is not to be started again.',
      `- What became of each line that was: \`segue batch results ${key}\``,
    ),
  });
}

function alarmOfStopped(run: Batch, { reason }: StoppedItems): void {
  const { key } = run.input;
  raise(run, 'stopped', {
    event: 'stopped',
    title: 'A part of a batch was stopped',
    message: short(`Batch ${key} goes on without some of its items: ${reason}`),
    body: letter(
      `the batch \`${key}\` goes on without some of its items: ${reason}.`,
      countsLine(run),
      ...stoppedLines(run),
      'Where more of its partitions are stopped, you are not told again.',
    ),
  });
}

/** Whoever was handing it over was stopped, and did not come back. */
export function tellOfAbsent(run: Batch): void {
  const { told, partitions, arrivedAt, startedAt } = run.progress;
  if (told.absent) return;
  told.absent = true;
  const { key } = run.input;
  const absent = `${absentOf(run).length} of ${partitions.length} partitions were not handed over`;
  raise(run, 'absent', {
    event: 'absent',
    title: 'A batch waits for the rest of its manifest',
    message: short(`Batch ${key} waits: ${absent}`),
    body: letter(
      `the batch \`${key}\` waits for the rest of its manifest: ${absent}, and nobody does so since ${arrivedAt ?? startedAt}.`,
      countsLine(run),
      'What was handed over goes on, and is not submitted again.',
      ...restLines(run.input),
      `- Or do without it, and end: \`segue batch cancel ${key} --by NAME\``,
    ),
  });
}

function alarmOfTrouble(run: Batch, trouble: string): void {
  const { key } = run.input;
  run.progress.troubles += 1;
  raise(run, 'trouble', {
    event: `trouble-${run.progress.troubles}`,
    title: 'A batch does not get on',
    message: short(`Batch ${key} waits for the service: ${trouble}`),
    body: letter(
      `the batch \`${key}\` waits for the service. ${trouble}`,
      'Nothing is lost, and nothing is submitted until the service takes it. It goes on by itself.',
      '- Look at the service and at the credential of the workers: `segue doctor`',
    ),
  });
}

function alarmOfSilence(run: Batch, silence: string): void {
  const { key } = run.input;
  run.progress.troubles += 1;
  raise(run, 'trouble', {
    event: `trouble-${run.progress.troubles}`,
    title: 'A batch learns nothing of its tasks',
    message: short(`Batch ${key}: ${silence}`),
    body: letter(
      `in the batch \`${key}\` ${silence}.`,
      'Nothing is lost: they go on at the service, and are asked after on and on. It goes on by itself.',
      '- Look at the service and at the credential of the workers: `segue doctor`',
    ),
  });
}

function alarmOfLate(run: Batch, late: string): void {
  const { key } = run.input;
  raise(run, 'late', {
    event: 'late',
    title: 'Slow tasks take the places of a batch',
    message: short(`Batch ${key}: ${late}`),
    body: letter(
      `in the batch \`${key}\` ${late}.`,
      countsLine(run),
      'Nothing is lost: they are asked after on and on, and others begin when they are over. You are not told of it again.',
      `- Let others begin beside them: \`segue batch concurrency ${key} --to N --by NAME\``,
    ),
  });
}

type Words = Pick<Message, 'event' | 'title' | 'message' | 'body'>;

/** To log and metric at once, because the service may be what is down. */
function raise(run: Batch, why: string, words: Words): void {
  const { key } = run.input;
  log.error('a person is needed', { batch: key, why, reason: words.message });
  metricMeter.createCounter(ALARMS).add(1, { why });
  const notice = { words, since: new Date().toISOString() };
  run.progress.notices.push(notice);
  void tell(run, notice);
}

/** What the run before this one could not tell. */
export function goOnTelling(run: Batch): void {
  for (const notice of run.progress.notices) void tell(run, notice);
}

/** Tried for long, and by one run after the other: only while a try is on its way does this run have to wait for it. */
async function tell(run: Batch, notice: BatchNotice): Promise<void> {
  const { words, since, nextAt } = notice;
  const rest = async (ms: number): Promise<void> => {
    notice.nextAt = new Date(Date.now() + ms).toISOString();
    run.notices -= 1;
    await sleep(ms, { summary: 'until the operator is told again' });
    run.notices += 1;
  };
  run.notices += 1;
  const left = nextAt === undefined ? 0 : Date.parse(nextAt) - Date.now();
  if (left > 0) await rest(left);
  const message: Message = { ...words, category: 'agentError', extra: { batch: run.input.key } };
  const { status, reason } = await tellOperator(run, message, { begun: Date.parse(since), rest });
  if (status !== 'sent') log.warn('a notification was not sent', { event: words.event, status, reason });
  const { notices } = run.progress;
  notices.splice(notices.indexOf(notice), 1);
  run.notices -= 1;
}

/** One for the whole batch. Nobody is told that a batch was cancelled: somebody did that. */
export async function tellEnd(run: Batch, status: BatchResult['status']): Promise<NoticeOutcome | null> {
  const { key, notify } = run.input;
  const counts = countsOf(run);
  const isGood = counts.succeeded === run.input.manifest.items;
  const isWanted =
    notify?.on?.includes(isGood ? 'completed' : counts.held > 0 ? 'needsInput' : 'failed') ?? true;
  if (!notify || status === 'cancelled' || !isWanted) return null;
  const follow = [
    ...(countOfHeld(run) > 0 ? ['Those that are held go on as runs of their own: `segue held`'] : []),
    ...stoppedLines(run),
  ];
  return tellUser(run, notify, {
    category: isGood ? 'agentTaskCompleted' : 'agentError',
    event: status,
    title: isGood ? 'Your batch is done' : 'Your batch is over, with problems',
    message: short(`${key}: ${countsLine(run)}`),
    body: letter(`\`${key}\` is over. ${countsLine(run)}`, ...follow, `\`segue batch results ${key}\``),
    extra: { batch: key, status, ...counts },
  });
}

function letter(...paragraphs: string[]): string {
  return ['Hello,', ...paragraphs, 'Segue'].join('\n\n');
}

function short(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}
