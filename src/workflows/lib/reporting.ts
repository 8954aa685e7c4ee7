/** A run tells those who wait for it, campaigns above all, what it is at. */
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { jobNewsSignal, reportToSignal } from '../../contract';
import { isWorkflowId } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';
import { type Following, type Stage } from '../steps/following';

/** Those who wait need to know of a task, of a person who is needed, and of the end; the rest they do not act on. */
const NEWS: ReadonlySet<Stage> = new Set([
  'polling',
  'held',
  'overdue',
  'succeeded',
  'failed',
  'abandoned',
  'cancelled',
]);

/** Anybody may ask to be told; a few are enough. */
const MOST_LISTENERS = 20;

export function listenersOf({
  carried,
  reportTo,
}: {
  carried?: { listeners: string[] };
  /** Null from other languages. */
  reportTo?: string | null;
}): string[] {
  return [...(carried?.listeners ?? (reportTo ? [reportTo] : []))];
}

/** Whoever finds a run that was started by somebody else asks it to tell its news there, too. */
export function handleListeners(run: Following): void {
  setHandler(
    reportToSignal,
    (listener: unknown) => {
      if (!isRecord(listener) || !isWorkflowId(listener.workflowId)) return;
      const { listeners } = run.progress;
      if (!listeners.includes(listener.workflowId)) {
        if (listeners.length >= MOST_LISTENERS) return;
        listeners.push(listener.workflowId);
      }
      // Who asks again was reset, and does not know any more what it was told.
      tell(run, listener.workflowId);
    },
    { description: 'Has this run tell its stages to another one: { workflowId }.' },
  );
}

/** `before`: a person decided, and it is not held any more, whatever it does next. */
export function reportStage(run: Following, before: Stage): void {
  if (!NEWS.has(run.stage) && before !== 'held') return;
  for (const listener of run.progress.listeners) tell(run, listener);
}

/** A signal that is still being sent when a run ends is lost. */
export async function untilReported(run: Following): Promise<void> {
  await condition(() => run.reports === 0);
}

function tell(run: Following, listener: string): void {
  const news = {
    workflowId: workflowInfo().workflowId,
    stage: run.stage,
    taskId: run.subject.facts().taskId ?? null,
  };
  run.reports += 1;
  CancellationScope.nonCancellable(() => getExternalWorkflowHandle(listener).signal(jobNewsSignal, news))
    // Nobody waits there any more.
    .catch(() => undefined)
    .finally(() => {
      run.reports -= 1;
    });
}
