/** What people see of a batch: its stage in lists, its page, and its notifications, each event at most once. */
import { log, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { type BatchResult, type BatchStage, type BatchStatus, type NotificationStatus } from '../../contract';
import { adviceOnStopped } from '../../contract/advice';
import { bodyOf, inBackground, notifyOperator, notifyUser, oneLine } from '../lib/notify';
import { raiseAlarm } from '../steps/alarm';
import { lines, listStage, listStart } from '../steps/visibility';
import { type Batch } from './state';

export interface Concern {
  /** The operator is notified of each event once. */
  event: string;
  title: string;
  what: string;
  /** What it means, and what to do: paragraphs in Markdown. */
  advice: string[];
}

function concernsOf(run: Batch): Concern[] {
  const { input, heldJobs, stopped, trouble, late, progress } = run;
  const { key } = input;
  const { incomplete } = progress;
  return [
    heldJobs > 0 && {
      event: 'held',
      title: 'Items of a batch need your decision',
      what: 'some of its items wait for a person',
      advice: [
        'Each of them is now a separate job. Segue does not notify you of each one.',
        '- What waits, and the commands that decide it: `segue held`',
      ],
    },
    incomplete !== null && {
      event: 'incomplete',
      title: 'Part of a batch will not run',
      what: `it lacks a part of its manifest: ${incomplete}`,
      advice: [
        'Partitions that were handed over continue. Do not start them again.',
        `- What became of each line that was: \`segue batch results ${key}\``,
      ],
    },
    stopped !== null && {
      event: 'stopped',
      title: 'Part of a batch was stopped',
      what: `it continues without some of its items: ${stopped.reason}`,
      advice: [
        ...adviceOnStopped(key, stopped),
        'Where more of its partitions are stopped, you are not notified again.',
      ],
    },
    trouble !== null && {
      // Once a day.
      event: `trouble-${new Date().toISOString().slice(0, 10)}`,
      title: 'Batch stalled: the service is in trouble',
      what: trouble,
      advice: [
        'Nothing is lost: the batch submits, polls and writes again until the service answers.',
        '- Look at the service and at the credential of the workers: `segue doctor`',
      ],
    },
    late !== null && {
      event: 'late',
      title: 'Batch stalled: slow tasks take all its slots',
      what: late,
      advice: [
        'Nothing is lost: these tasks are still polled, and other items start when they end. You are not notified of this again.',
        `- Let other items start too: \`segue batch concurrency ${key} --to N --by NAME\``,
      ],
    },
  ].filter((concern) => concern !== false);
}

/** The process that handed the manifest over was stopped, and did not come back. */
export function absence({ input, absent, progress }: Batch): Concern {
  const { partitions, arrivedAt, startedAt } = progress;
  return {
    event: 'absent',
    title: 'A batch waits for the rest of its manifest',
    what: `${absent.length} of ${partitions.length} partitions were not handed over; none came since ${arrivedAt ?? startedAt}`,
    advice: [
      'Partitions that were handed over continue, and are not submitted again.',
      ...(input.source === undefined ? [] : [`A schedule started it, with the manifest ${input.source}.`]),
      '- Hand over the rest: run the same `start`, `run` or `retry` again',
      `- Or end the batch without the rest: \`segue batch cancel ${input.key} --by NAME\``,
    ],
  };
}

/** One notification for the whole batch, not one for each held item or each partition in trouble. */
export function notifyChanges(run: Batch): void {
  for (const concern of concernsOf(run)) notifyOnce(run, concern);
}

export function notifyOnce(run: Batch, { event, title, what, advice }: Concern): void {
  const { notified } = run.progress;
  if (notified.includes(event)) return;
  notified.push(event);
  const { key } = run.input;
  const message = oneLine(`Batch ${key}: ${what}`);
  const body = bodyOf(`batch \`${key}\`: ${what}.`, run.countsLine, ...advice);
  raiseAlarm(event.replace(/-.*/, ''), { batch: key, reason: message });
  inBackground(run, async () => {
    const notice = { category: 'agentError' as const, event, title, message, body, extra: { batch: key } };
    // A run with a long history does not wait for the next attempt.
    const isStale = (): boolean => run.isOpen && workflowInfo().continueAsNewSuggested;
    const { status, reason } = await notifyOperator(run, notice, { isStale });
    if (status === 'notSent' && isStale()) run.unsent.add(event);
    else if (status !== 'sent') log.warn('a notification was not sent', { event, status, reason });
  });
}

/** What the service did not take is notified again, by this run or the next. */
export function forgetUnsent({ progress, unsent }: Batch): void {
  progress.notified = progress.notified.filter((event) => !unsent.has(event));
  unsent.clear();
}

/** Nobody is notified of a cancellation: somebody asked for it. */
export async function notifyEnd(
  run: Batch,
  status: BatchResult['status'],
): Promise<NotificationStatus | null> {
  const { counts } = run;
  const { key, notify } = run.input;
  const isGood = status === 'completed' && counts.succeeded === run.input.manifest.items;
  const isWanted =
    notify?.on?.includes(isGood ? 'completed' : status === 'attention' ? 'needsInput' : 'failed') ?? true;
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

export function showStart(run: Batch): void {
  listStart({ tool: 'batch', scope: run.input.scope }, run.progress.stage);
  showDetails(run);
}

export function setStage(run: Batch, stage: BatchStage): void {
  const { progress } = run;
  if (progress.stage === stage) return;
  progress.stage = stage;
  progress.since = new Date().toISOString();
  listStage(stage);
  showDetails(run);
}

/** Costs no event. */
export function showDetails(run: Batch): void {
  const status = run.describe();
  const concerns = concernsOf(run).flatMap(({ title, what, advice }) => [
    `**${title}**: ${what}.`,
    ...advice,
  ]);
  setCurrentDetails(lines(stageSentence(status), run.countsLine, ...concerns, ...handOverLines(status)));
}

function stageSentence({ key, stage, paused, since, concurrency }: BatchStatus): string {
  switch (stage) {
    case 'running':
      return `Running since ${since}, at most ${concurrency} items at the service at once.`;
    case 'paused':
      return lines(
        `**Paused** by ${paused?.by ?? 'somebody'} since ${since}${paused?.reason ? `: ${paused.reason}` : ''}. Accepted tasks continue.`,
        `What to do: \`segue batch resume ${key} --by NAME\``,
      );
    case 'cancelling':
      return 'Cancelling: waits for POSTs and project writes in flight.';
    case 'completed':
      return `Over since ${since}.`;
    case 'unsaved':
      return `Over since ${since}, and **projects did not take results**: \`segue batch retry ${key}\` writes them again and submits nothing for them.`;
    case 'attention':
      return `Over since ${since}, except what **needs a person**: held items, a stopped partition, or lines that were not handed over.`;
    case 'cancelled':
      return `Cancelled since ${since}. The service continues with accepted tasks; the results list them.`;
  }
}

function handOverLines({ incomplete, partitions: { total, handedOver }, stage }: BatchStatus): string[] {
  const isWaiting = incomplete === null && ['running', 'paused'].includes(stage);
  if (handedOver === total || !isWaiting) return [];
  return [
    `${handedOver} of ${total} partitions are handed over. If the process that started the batch was stopped, run the same command again.`,
  ];
}
