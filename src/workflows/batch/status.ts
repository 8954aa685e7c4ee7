/** The stage of a batch in lists, and its details on the workflow's page. */
import { setCurrentDetails } from '@temporalio/workflow';
import { type BatchStage, type BatchStatus } from '../../contract';
import { lines, listStage, listStart } from '../steps/visibility';
import { concernsOf } from './concerns';
import { type Batch } from './state';

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
      return `Over since ${since}, except items that **need a person**.`;
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
