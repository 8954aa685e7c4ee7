/** What people see of a run in lists and on its page. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { attributesOfJob, keyword, searchAttributes } from '../searchAttributes';
import { type Following, type Stage } from './following';

/** Those in between are over in a moment, and each would be one more event. */
const UNLISTED: ReadonlySet<Stage> = new Set(['writing', 'notifying']);

/** Whoever started the run has given its list entry along; where another language did not, it is made here. */
export function showStart(run: Following): void {
  const listed = workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
  if (listed === undefined)
    upsertSearchAttributes(attributesOfJob({ ...run.input, tool: run.subject.tool }, run.stage));
  if (listed !== run.stage || isTask(run.subject.facts().taskId)) list(run);
  showDetails(run);
}

export function enterStage(run: Following, stage: Stage): void {
  const isNew = run.stage !== stage;
  run.stage = stage;
  if (isNew && !UNLISTED.has(stage)) list(run);
  showDetails(run);
}

/** Shown when a worker is asked; costs no event. */
export function showDetails(run: Following): void {
  setCurrentDetails(run.subject.details());
}

function list({ stage, subject }: Following): void {
  const { taskId } = subject.facts();
  upsertSearchAttributes([
    { key: searchAttributes.stage, value: stage },
    ...(isTask(taskId) ? [{ key: searchAttributes.taskIds, value: [keyword(taskId)] }] : []),
  ]);
}

function isTask(taskId: string | null | undefined): taskId is string {
  return taskId !== null && taskId !== undefined;
}
