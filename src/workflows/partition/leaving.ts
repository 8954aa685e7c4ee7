/** Items that need a person leave the partition, and go on as runs of their own. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  acceptedSignal,
  lateTasksSignal,
  MEDIA_WORKFLOW,
  type MediaInput,
  START_MEMO,
  type SubmitAttempt,
} from '../../contract';
import { holdName, mediaWorkflowId } from '../../contract/ids';
import { isRecord, isText } from '../../validation/inputs';
import { attributesOfJob } from '../../contract/searchAttributes';
import { isAlreadyStarted } from '../lib/otherRuns';
import { tellBatch } from './reporting';
import { type Entry, jobKeyOf, type Partition } from './run';

/** Nobody knows whether the service took it. */
export function leaveHeld(run: Partition, entry: Entry, attempt: SubmitAttempt): void {
  entry.known.error = attempt.reason;
  leave(run, entry, { held: { attempts: [attempt] } });
}

/** Its task is known, and takes too long: it waited already, and is overdue from the first look on. */
export function leaveOverdue(run: Partition, entry: Entry): void {
  entry.known.error = 'its task takes too long';
  leave(run, entry, {
    taskId: entry.known.taskId,
    held: { attempts: acceptedOf(entry) },
    poll: { ...run.input.poll, deadline: '0s' },
  });
}

/** Its task is known here, and not to the service. */
export function leaveMissing(run: Partition, entry: Entry): void {
  entry.known.error = 'the service does not know its task';
  leave(run, entry, { taskId: entry.known.taskId, held: { attempts: acceptedOf(entry) } });
}

/** The numbers of its submissions go on from here: each stands in a request id. None where its task was given. */
function acceptedOf({ known: { attempts, taskId, since } }: Entry): SubmitAttempt[] {
  if (attempts === 0) return [];
  return [{ n: attempts, at: since ?? new Date().toISOString(), outcome: 'accepted', taskId }];
}

function leave(
  run: Partition,
  entry: Entry,
  more: Partial<MediaInput> & Pick<Required<MediaInput>, 'held'>,
): void {
  const { place, asked, known } = entry;
  const { poll, submit } = run.input;
  const { tool, request, scope, write, notify } = asked;
  const input = {
    ...{ key: jobKeyOf(run, place), tool, request, scope, write, notify, poll, submit },
    ...more,
  };
  known.status = 'held';
  known.workflowId = mediaWorkflowId(input.key);
  run.leaving += 1;
  void goOnAlone(run, input).finally(() => {
    run.leaving -= 1;
    run.hasNews = true;
  });
}

/** The batch tells the operator of what left; where there is none any more, the run does so itself. */
async function goOnAlone(
  run: Partition,
  input: MediaInput & Pick<Required<MediaInput>, 'held'>,
): Promise<void> {
  const isUntold = !(await tellOfLeaving(run));
  const held = isUntold ? { ...input.held, isUntold } : input.held;
  await begin({ ...input, held }, mediaWorkflowId(input.key), run.input.batch);
}

/** What leaves in one moment is told by one signal. */
function tellOfLeaving(run: Partition): Promise<boolean> {
  run.tellingOfLeaving ??= Promise.resolve()
    .then(() => tellBatch(run))
    .finally(() => {
      run.tellingOfLeaving = undefined;
    });
  return run.tellingOfLeaving;
}

async function begin(input: MediaInput, workflowId: string, batch: string): Promise<void> {
  const stage = input.taskId === undefined ? 'held' : 'polling';
  try {
    await startChild(MEDIA_WORKFLOW, {
      workflowId,
      args: [input],
      memo: { [START_MEMO]: workflowInfo().runId },
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      // It outlives the partition.
      parentClosePolicy: 'ABANDON',
      typedSearchAttributes: attributesOfJob(input, stage),
      staticSummary: `an item of batch ${batch} that needs a person`,
    });
  } catch (error) {
    // After a reset it is there already, and knows more than this run.
    if (!isAlreadyStarted(error)) throw error;
  }
}

/** A task id that came after its chunk was given up goes to the run that its item is now. */
export function handleLateTasks(run: Partition): void {
  setHandler(
    lateTasksSignal,
    async (news: unknown) => {
      const tasks = isRecord(news) && Array.isArray(news.tasks) ? (news.tasks as unknown[]) : [];
      await CancellationScope.nonCancellable(() => Promise.all(tasks.map((task) => takeLate(run, task))));
    },
    { description: 'Task ids that came too late to be a result: { tasks: [{ item, attempt, taskId }] }.' },
  );
}

async function takeLate(run: Partition, task: unknown): Promise<void> {
  if (!isRecord(task) || !isText(task.taskId)) return;
  const known = run.progress.items[Number(task.item)];
  if (!known || known.attempts !== task.attempt) return;
  // Kept also where this run has not noticed yet that the chunk gave no outcome.
  known.taskId ??= task.taskId;
  if (known.workflowId === undefined) return;
  // It may not be there yet.
  await condition(() => run.leaving === 0);
  const hold = holdName(workflowInfo().runId, known.attempts);
  await getExternalWorkflowHandle(known.workflowId)
    .signal(acceptedSignal, { hold, taskId: task.taskId })
    // It is over: somebody has decided.
    .catch(() => undefined);
}
