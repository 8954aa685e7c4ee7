import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  type MediaInput,
  type MediaResult,
  type MediaStage,
  type MediaState,
  type Progress,
} from '../contract';

/** What a run knows: its progress, which outlives it, and what it is doing at the moment. */
export interface Run {
  readonly input: MediaInput;
  readonly progress: Progress;
  stage: MediaStage;
  hold: string | null;
  nextPollAt: string | null;
  lastError: string | null;
}

export function startRun(input: MediaInput): Run {
  const { runId, originalExecutionRunId } = workflowInfo();
  const carried = input.carried;
  const progress: Progress = {
    taskId: carried?.taskId ?? input.taskId ?? null,
    submittedAt: carried?.submittedAt ?? null,
    submits: carried?.submits ?? 0,
    attempts: [...(carried?.attempts ?? [])],
    deniedSince: carried?.deniedSince ?? null,
    polls: carried?.polls ?? 0,
    pollingSince: carried?.pollingSince ?? null,
    reset: carried?.reset ?? false,
  };
  const stage = progress.taskId === null ? 'submitting' : 'polling';
  // Not a branch of the workflow: both ids stay what they are for the whole life of this run.
  const resetHere = runId !== originalExecutionRunId;
  return {
    input,
    progress: { ...progress, reset: progress.reset || resetHere },
    stage,
    hold: null,
    nextPollAt: null,
    lastError: null,
  };
}

/** Continues as new before the history grows past what the server takes. It returns when there is no need. */
export async function continueWhenLong({ input, progress }: Run): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested) return;
  await condition(allHandlersFinished);
  await continueAsNew<(input: MediaInput) => Promise<MediaResult>>({ ...input, carried: progress });
}

export function describeRun({ input, progress, stage, hold, nextPollAt, lastError }: Run): MediaState {
  const { taskId, submittedAt, attempts, polls } = progress;
  return {
    key: input.key,
    tool: input.tool,
    stage,
    hold,
    taskId,
    submittedAt,
    attempts,
    polls,
    nextPollAt,
    lastError,
  };
}
