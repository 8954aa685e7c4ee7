/** The stage of a batch in lists, and its details on the workflow's page. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type BatchInput, type BatchStage, type BatchStatus, type StoppedItems } from '../../contract';
import { repeatedKey } from '../../contract/ids';
import { attributesOfJob, searchAttributes } from '../../contract/searchAttributes';
import { lines } from '../steps/visibility';
import { type Batch } from './state';

/** The client sets the search attributes at the start; clients of other languages may not. */
export function showStart(run: Batch): void {
  const { scope } = run.input;
  const listed = workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
  if (listed === undefined)
    upsertSearchAttributes(attributesOfJob({ tool: 'batch', scope }, run.progress.stage));
  showDetails(run);
}

export function setStage(run: Batch, stage: BatchStage): void {
  const { progress } = run;
  if (progress.stage === stage) return;
  progress.stage = stage;
  progress.since = new Date().toISOString();
  upsertSearchAttributes([{ key: searchAttributes.stage, value: stage }]);
  showDetails(run);
}

/** Costs no event. */
export function showDetails(run: Batch): void {
  const status = run.describe();
  const about = [
    ...troubleLines(status),
    ...lateLines(status),
    ...stoppedDetails(status),
    ...handOverLines(status),
  ];
  setCurrentDetails(lines(stageSentence(run, status), run.countsLine, ...about));
}

function stageSentence({ heldJobs }: Batch, status: BatchStatus): string {
  const { key, stage, paused, since, concurrency, late, stopped, incomplete } = status;
  switch (stage) {
    case 'running':
      return `Running since ${since}, at most ${concurrency} items at the service at once.${late === null ? ' Nothing is to be done.' : ''}`;
    case 'paused':
      return lines(
        `**Paused** by ${paused?.by ?? 'somebody'} since ${since}${paused?.reason ? `: ${paused.reason}` : ''}. What is at the service goes on.`,
        `What to do: \`segue batch resume ${key} --by NAME\``,
      );
    case 'cancelling':
      return 'Being cancelled: what is on its way to the service is waited for.';
    case 'completed':
      return stopped || incomplete !== null
        ? `Over since ${since}, but for items that **were not done**.`
        : `Over since ${since}: every item is done or failed.`;
    case 'attention':
      return heldJobs === 0
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

function troubleLines({ trouble }: BatchStatus): string[] {
  if (trouble === null) return [];
  return [
    `**The service is in trouble**: ${trouble}`,
    'What it means: nothing is lost. It submits and polls again until the service answers, and goes on by itself.',
  ];
}

function lateLines({ late, key }: BatchStatus): string[] {
  if (late === null) return [];
  return [
    `**Slow tasks take its slots**: ${late}.`,
    'What it means: nothing is lost. They are polled on and on, and others begin when they are over.',
    `What to do, to let others begin beside them: \`segue batch concurrency ${key} --to N --by NAME\``,
  ];
}

function stoppedDetails({ key, stopped }: BatchStatus): string[] {
  return stopped ? [`**A part of it was stopped**: ${stopped.reason}.`, ...stoppedLines(key, stopped)] : [];
}

/** What a person can do about the items of stopped partitions. */
export function stoppedLines(key: string, stopped: StoppedItems | null): string[] {
  const { unfollowed = 0, undone = 0 } = stopped ?? {};
  const results = `segue batch results ${key}`;
  return [
    ...(stopped && unfollowed + undone === 0
      ? [
          `Its items were over. What it had not yet written to projects, or told users, is not written and not told: \`${results}\` has it all.`,
        ]
      : []),
    ...(unfollowed > 0
      ? [
          `${unfollowed} items were at the service then, and nobody polls them any more. Their tasks: \`${results} --status running\`. A manifest of their lines, each with its \`taskId\`, started with another key follows them and submits nothing. One without a \`taskId\` may have been accepted: look for it at the service first.`,
        ]
      : []),
    ...(undone > 0
      ? [
          `${undone} items were not done: those that are \`waiting\` or \`cancelled\` in \`${results}\`. A manifest of their lines, with the \`taskId\` where there is one, started with another key does them.`,
        ]
      : []),
  ];
}

/** The command that hands over the rest of the manifest. A retry has a derived key, and reads the batch that it repeats. */
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

function handOverLines({ incomplete, partitions, stage }: BatchStatus): string[] {
  if (incomplete !== null)
    return [`**A part of the manifest is not run**: ${incomplete}. What was handed over is.`];
  const { total, handedOver } = partitions;
  if (handedOver === total || !['running', 'paused'].includes(stage)) return [];
  return [
    `${handedOver} of ${total} partitions are handed over. Where whoever started it was stopped, the same command goes on.`,
  ];
}
