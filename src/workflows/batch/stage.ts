/** Where a batch is, for lists and for its page. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type BatchInput, type BatchStage } from '../../contract';
import { repeatedKey } from '../../contract/ids';
import { attributesOfJob, searchAttributes } from '../../contract/searchAttributes';
import { lines } from '../steps/visibility';
import { type Batch, countOfHeld, describe, lateOf, stoppedOf, troubleOf } from './run';

/** Whoever started it has given its list entry along; where another language did not, it is made here. */
export function showStart(run: Batch): void {
  const { scope } = run.input;
  const listed = workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
  if (listed === undefined)
    upsertSearchAttributes(attributesOfJob({ tool: 'batch', scope }, run.progress.stage));
  showDetails(run);
}

export function enterStage(run: Batch, stage: BatchStage): void {
  const { progress } = run;
  if (progress.stage === stage) return;
  progress.stage = stage;
  progress.since = new Date().toISOString();
  upsertSearchAttributes([{ key: searchAttributes.stage, value: stage }]);
  showDetails(run);
}

/** Shown when a worker is asked; costs no event. */
export function showDetails(run: Batch): void {
  const about = [...troubleLines(run), ...lateLines(run), ...stoppedDetails(run), ...handOverLines(run)];
  setCurrentDetails(lines(sentenceOf(run), countsLine(run), ...about));
}

function sentenceOf(run: Batch): string {
  const { input, progress } = run;
  const { stage, paused, since, concurrency } = progress;
  switch (stage) {
    case 'running':
      return `Running since ${since}, at most ${concurrency} items at the service at once.${lateOf(run) === null ? ' Nothing is to be done.' : ''}`;
    case 'paused':
      return lines(
        `**Paused** by ${paused?.by ?? 'somebody'} since ${since}${paused?.reason ? `: ${paused.reason}` : ''}. What is at the service goes on.`,
        `What to do: \`segue batch resume ${input.key} --by NAME\``,
      );
    case 'cancelling':
      return 'Being cancelled: what is on its way to the service is waited for.';
    case 'completed':
      return stoppedOf(run) || progress.incomplete !== null
        ? `Over since ${since}, but for items that **were not done**.`
        : `Over since ${since}: every item is done or failed.`;
    case 'attention':
      return countOfHeld(run) === 0
        ? `Over since ${since}, but for items that **need a person**.`
        : lines(
            `Over since ${since}, but for items that **need a person**: each goes on as a run of its own.`,
            `What to do: \`segue held\` lists them with the commands that decide them.`,
          );
    case 'cancelled':
      return `Cancelled since ${since}. What the service accepted goes on there; the results tell its tasks.`;
    default:
      return stage satisfies never;
  }
}

export function countsLine(run: Batch): string {
  const { items, counts } = describe(run);
  const parts = Object.entries(counts).flatMap(([status, count]) =>
    count > 0 ? [`${count} ${status}`] : [],
  );
  return `Of ${items} items: ${parts.join(', ')}.`;
}

function troubleLines(run: Batch): string[] {
  const { trouble } = describe(run);
  if (trouble === null) return [];
  return [
    `**The service is in trouble**: ${trouble}`,
    troubleOf(run) === null
      ? 'What it means: nothing is lost. Its tasks go on at the service, and are asked after on and on. It goes on by itself.'
      : 'What it means: nothing is lost, and nothing is submitted until the service takes it. It goes on by itself.',
  ];
}

function lateLines(run: Batch): string[] {
  const { late, key } = describe(run);
  if (late === null) return [];
  return [
    `**Slow tasks take its places**: ${late}.`,
    'What it means: nothing is lost. They are asked after on and on, and others begin when they are over.',
    `What to do, to let others begin beside them: \`segue batch concurrency ${key} --to N --by NAME\``,
  ];
}

function stoppedDetails(run: Batch): string[] {
  const stopped = stoppedOf(run);
  return stopped ? [`**A part of it was stopped**: ${stopped.reason}.`, ...stoppedLines(run)] : [];
}

/** What a person can do about items whose partition was stopped. */
export function stoppedLines(run: Batch): string[] {
  const stopped = stoppedOf(run);
  const { unfollowed = 0, undone = 0 } = stopped ?? {};
  const results = `segue batch results ${run.input.key}`;
  return [
    ...(stopped && unfollowed + undone === 0
      ? [
          `Its items were over. What it had not yet written to projects, or told users, is not written and not told: \`${results}\` has it all.`,
        ]
      : []),
    ...(unfollowed > 0
      ? [
          `${unfollowed} items were at the service then, and nobody asks after them any more. Their tasks: \`${results} --status running\`. A manifest of their lines, each with its \`taskId\`, started with another key follows them and submits nothing. One without a \`taskId\` may have been accepted: look for it at the service first.`,
        ]
      : []),
    ...(undone > 0
      ? [
          `${undone} items were not done: those that are \`waiting\` or \`cancelled\` in \`${results}\`. A manifest of their lines, with the \`taskId\` where there is one, started with another key does them.`,
        ]
      : []),
  ];
}

/**
 * Where the rest of it comes from, and what a person can do where whoever handed it over was stopped. A key of a retry
 * is none that can be given, and its items are read from the batch that it repeats, whoever started that.
 */
export function restLines({ key, source }: Pick<BatchInput, 'key' | 'source'>): string[] {
  const repeated = repeatedKey(key);
  if (repeated !== undefined)
    return [
      `It runs the failed items of \`${repeated}\` again, and takes them from there: it needs no manifest.`,
      `- Hand over the rest: \`segue batch retry ${repeated}\``,
    ];
  return [
    ...(source === undefined ? [] : [`It is of a schedule, which reads its manifest from ${source}.`]),
    `- Hand over the rest, with the same manifest: \`segue batch start MANIFEST --key ${key}\``,
  ];
}

function handOverLines(run: Batch): string[] {
  const { incomplete, partitions } = describe(run);
  if (incomplete !== null)
    return [`**A part of the manifest is not run**: ${incomplete}. What was handed over is.`];
  const { total, handedOver } = partitions;
  if (handedOver === total || !['running', 'paused'].includes(run.progress.stage)) return [];
  return [
    `${handedOver} of ${total} partitions are handed over. Where whoever started it was stopped, the same command goes on.`,
  ];
}
