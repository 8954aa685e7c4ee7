/** What people see of a run in lists and on its page. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type MediaStage } from '../contract';
import { attributesOfJob, keyword, searchAttributes } from '../searchAttributes';
import { type Run } from './progress';
import { detailsOf } from './words';

/** Those in between are over in a moment, and each would be one more event. */
const UNLISTED: ReadonlySet<MediaStage> = new Set(['writing', 'notifying']);

/** Whoever started the run has given its list entry along; where another language did not, it is made here. */
export function showStart(run: Run): void {
  const listed = workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
  if (listed === undefined) upsertSearchAttributes(attributesOfJob(run.input, run.stage));
  if (listed !== run.stage || run.progress.taskId !== null) list(run);
  showDetails(run);
}

export function enterStage(run: Run, stage: MediaStage): void {
  const isNew = run.stage !== stage;
  run.stage = stage;
  if (isNew && !UNLISTED.has(stage)) list(run);
  showDetails(run);
}

/** Shown when a worker is asked; costs no event. */
export function showDetails(run: Run): void {
  setCurrentDetails(detailsOf(run));
}

function list({ stage, progress }: Run): void {
  const { taskId } = progress;
  upsertSearchAttributes([
    { key: searchAttributes.stage, value: stage },
    ...(taskId === null ? [] : [{ key: searchAttributes.taskIds, value: [keyword(taskId)] }]),
  ]);
}
