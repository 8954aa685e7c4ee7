/** A run reports its stages, or only its end, to the runs that wait for it: campaigns, batches, firings. */
import {
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  setHandler,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { END_STAGES, type JobNews, jobNewsSignal, type JobStage, reportToSignal } from '../../contract';
import { isWorkflowId } from '../../contract/ids';
import { isRecord } from '../../validation/inputs';

/** The stages that listeners act on: a task is known, a person is needed, the job is over. */
const REPORTED: ReadonlySet<JobStage> = new Set<JobStage>(['polling', 'held', 'overdue', ...END_STAGES]);

/** Anybody can send a signal, so the list has a limit. */
const MOST_LISTENERS = 20;

/** A job that has listeners. */
export interface Reporter {
  readonly stage: JobStage;
  readonly progress: { listeners: string[] };
  /** Signals to listeners that are not delivered yet. */
  reports: number;
  facts(): Record<string, string | null>;
}

/** Null from other languages. */
export function listenersOf(reportTo: string | null | undefined): string[] {
  return reportTo ? [reportTo] : [];
}

/** Reports the current stage to each new listener at once, and later every stage that listeners act on. */
export function handleListeners(job: Reporter): void {
  handleReportTo(
    job.progress.listeners,
    'Makes this run report its stages to another run: { workflowId }.',
    // Also to a listed one: it asks again after a reset, and does not know the reports from before.
    (listener) => {
      report(job, listener);
    },
  );
}

/** Also reports that the job is not held any more, whatever it does next. */
export function reportStage(job: Reporter, before: JobStage): void {
  if (!REPORTED.has(job.stage) && before !== 'held') return;
  for (const listener of job.progress.listeners) report(job, listener);
}

/** Does the work of a run and reports its end to the listeners. A run that continues as new reports nothing. */
export async function withEndReport<T>(listeners: string[], work: () => Promise<T>): Promise<T> {
  handleReportTo(listeners, 'Makes this run report its end to another run: { workflowId }.');
  try {
    const result = await work();
    await reportEnd(listeners, 'succeeded');
    return result;
  } catch (error) {
    // Any other error is not an end: the server repeats the workflow task.
    if (error instanceof TemporalFailure) await reportEnd(listeners, 'failed');
    throw error;
  }
}

/** Anybody can send a signal, and a throw would block the run: a body that is no object is ignored. */
export function onSignal(
  { name }: { name: string },
  description: string,
  handle: (body: Record<string, unknown>) => void,
): void {
  setHandler(
    defineSignal<[unknown]>(name),
    (body: unknown) => {
      if (isRecord(body)) handle(body);
    },
    { description },
  );
}

function handleReportTo(
  listeners: string[],
  description: string,
  onListener?: (listener: string) => void,
): void {
  onSignal(reportToSignal, description, ({ workflowId }) => {
    if (!isWorkflowId(workflowId)) return;
    if (!listeners.includes(workflowId)) {
      if (listeners.length >= MOST_LISTENERS) return;
      listeners.push(workflowId);
    }
    onListener?.(workflowId);
  });
}

function report(job: Reporter, listener: string): void {
  job.reports += 1;
  void signal(listener, job.stage, job.facts().taskId ?? null).finally(() => {
    job.reports -= 1;
  });
}

async function reportEnd(listeners: string[], stage: 'succeeded' | 'failed'): Promise<void> {
  // One after the other, because more listeners may come during a report.
  for (const listener of listeners) await signal(listener, stage, null);
}

/** Never fails: the listener may be gone. */
function signal(listener: string, stage: JobStage, taskId: string | null): Promise<void> {
  const news: JobNews = { workflowId: workflowInfo().workflowId, stage, taskId };
  return CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(listener).signal(jobNewsSignal, news),
  ).catch(() => undefined);
}
