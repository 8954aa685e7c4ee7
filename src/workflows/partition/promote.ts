/** Items that need a person become separate jobs: media workflows, started by the partition. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { asList } from '../../api/json';
import { isIdText } from '../../api/scope';
import {
  acceptedSignal,
  LARGEST_CHUNK,
  lateTasksSignal,
  MEDIA_WORKFLOW,
  type MediaInput,
  type SubmitAttempt,
} from '../../contract';
import { holdName, mediaWorkflowId } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';
import { attributesOfJob } from '../../contract/searchAttributes';
import { startOnce } from '../lib/otherRuns';
import { reportToBatch } from './batchLink';
import { type Entry, type Partition } from './state';

/** The outcome of its submission is unknown. */
export function promoteHeld(run: Partition, entry: Entry, attempt: SubmitAttempt): void {
  entry.known.error = attempt.reason;
  promoteToJob(run, entry, { held: { attempts: [attempt] } });
}

/** Its task takes too long, or the service does not know it. */
export function promoteTask(run: Partition, entry: Entry, error: string, poll = run.input.poll): void {
  entry.known.error = error;
  promoteToJob(run, entry, { taskId: entry.known.taskId, held: { attempts: acceptedOf(entry) }, poll });
}

/** Attempt numbers are part of request ids, so the job continues to count from here. None where the manifest named the task. */
function acceptedOf({ known: { attempts, taskId, since } }: Entry): SubmitAttempt[] {
  if (attempts === 0) return [];
  return [{ n: attempts, at: since ?? new Date().toISOString(), outcome: 'accepted', taskId }];
}

function promoteToJob(
  run: Partition,
  entry: Entry,
  more: Partial<MediaInput> & Pick<Required<MediaInput>, 'held'>,
): void {
  const { index, asked, known } = entry;
  const { poll, submit } = run.input;
  const { tool, request, scope, write, notify } = asked;
  const input = {
    ...{ key: run.jobKey(index), tool, request, scope, write, notify, poll, submit },
    ...more,
  };
  known.status = 'held';
  known.workflowId = mediaWorkflowId(input.key);
  run.promoting += 1;
  void startAsJob(run, input).finally(() => {
    run.promoting -= 1;
    run.isReportDue = true;
  });
}

/** The batch notifies the operator; without a batch, the job does so itself. */
async function startAsJob(
  run: Partition,
  input: MediaInput & Pick<Required<MediaInput>, 'held'>,
): Promise<void> {
  const needsAlert = !(await reportOnce(run));
  const held = needsAlert ? { ...input.held, needsAlert } : input.held;
  const stage = input.taskId === undefined ? 'held' : 'polling';
  // After a reset the job exists already.
  await startOnce({
    workflow: MEDIA_WORKFLOW,
    workflowId: mediaWorkflowId(input.key),
    input: { ...input, held },
    typedSearchAttributes: attributesOfJob(input, stage),
    staticSummary: `an item of batch ${run.input.batch} that needs a person`,
  });
}

/** One signal for all items that are promoted at the same moment. */
function reportOnce(run: Partition): Promise<boolean> {
  run.reporting ??= Promise.resolve()
    .then(() => reportToBatch(run))
    .finally(() => {
      run.reporting = undefined;
    });
  return run.reporting;
}

/** A task id that came after its chunk timed out goes to the item's job. */
export function handleLateTasks(run: Partition): void {
  setHandler(
    lateTasksSignal,
    async (news: unknown) => {
      const tasks = isRecord(news) ? asList(news.tasks) : [];
      // A chunk has at most this many items. The server refuses a workflow task that sends thousands of signals.
      await CancellationScope.nonCancellable(() =>
        Promise.all(tasks.slice(0, LARGEST_CHUNK).map((task) => takeLate(run, task))),
      );
    },
    { description: 'Task ids that came too late to be a result: { tasks: [{ item, taskId }] }.' },
  );
}

/** Takes a task of any attempt: a run that was reset counts attempts from the start, and the work is paid for. */
async function takeLate(run: Partition, task: unknown): Promise<void> {
  if (!isRecord(task) || !isIdText(task.taskId)) return;
  const known = typeof task.item === 'number' ? run.progress.items[task.item] : undefined;
  if (!known) return;
  // Kept also while the chunk's outcome is still open.
  known.taskId ??= task.taskId;
  if (known.workflowId === undefined) return;
  // The job may not be started yet.
  await condition(() => run.promoting === 0);
  const hold = holdName(workflowInfo().runId, known.attempts);
  await getExternalWorkflowHandle(known.workflowId)
    .signal(acceptedSignal, { hold, taskId: task.taskId })
    // The job is over: somebody has decided.
    .catch(() => undefined);
}
