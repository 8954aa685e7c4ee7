/** What people see of a run in lists and on its page. */
import { setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { UNKNOWN_MEMO, type UnknownSubmit } from '../../contract';
import { attributesOfJob, keyword, searchAttributes } from '../../contract/searchAttributes';
import { type Following, type Stage } from './following';
import { reportStage } from '../lib/reporting';

/** Those in between are over in a moment, and each would be one more event. They are listed when they last. */
const UNLISTED: ReadonlySet<Stage> = new Set(['writing', 'notifying']);

/** A list over 2,048 bytes would fail the run. */
const MOST_TASKS_LISTED = 5;

/** Whoever started the run has given its list entry along; where another language did not, it is made here. */
export function showStart(run: Following): void {
  const listed = listedStage();
  if (listed === undefined)
    upsertSearchAttributes(attributesOfJob({ ...run.input, tool: run.subject.tool }, run.stage));
  if (listed !== run.stage || tasksOf(run).length > 0 || run.subject.unknown?.()) list(run);
  showDetails(run);
}

export function enterStage(run: Following, stage: Stage): void {
  const before = run.stage;
  const isNew = before !== stage;
  run.stage = stage;
  // One that lasted is listed, and must not stay so.
  if (isNew && (!UNLISTED.has(stage) || UNLISTED.has(listedStage() as Stage))) list(run);
  if (isNew) reportStage(run, before);
  showDetails(run);
}

/** Lists a stage that takes longer than it should: whoever looks for what is stuck finds it by that. */
export function showDelay(run: Following): void {
  if (isDelayed(run)) return;
  list(run);
  showDetails(run);
}

/** Whether its stage, one of those that are over in a moment, takes longer than it should. */
export function isDelayed({ stage }: Following): boolean {
  return UNLISTED.has(stage) && listedStage() === stage;
}

/** Shown when a worker is asked; costs no event. */
export function showDetails(run: Following): void {
  setCurrentDetails(run.subject.details());
}

/** Lists a task that came to be known, whatever the run does meanwhile. */
export function showTasks(run: Following): void {
  list(run);
  showDetails(run);
}

function list(run: Following): void {
  const tasks = tasksOf(run).slice(0, MOST_TASKS_LISTED).map(keyword);
  upsertSearchAttributes([
    { key: searchAttributes.stage, value: run.stage },
    ...(tasks.length > 0 ? [{ key: searchAttributes.taskIds, value: tasks }] : []),
  ]);
  // Whoever finds the run closed needs no worker to learn of a POST that may have been accepted.
  const unknown = run.subject.unknown?.() ?? undefined;
  const kept = workflowInfo().memo?.[UNKNOWN_MEMO] as UnknownSubmit | undefined;
  // A second POST of unknown outcome replaces the first.
  if (kept?.submission !== unknown?.submission) upsertMemo({ [UNKNOWN_MEMO]: unknown });
}

function listedStage(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(searchAttributes.stage);
}

/** Those that the service has for it, as far as is known; the one that is followed first. */
export function tasksOf({ subject }: Following): string[] {
  return subject.tasks?.() ?? [];
}
