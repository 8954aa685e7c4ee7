import {
  allHandlersFinished,
  type CancellationScope,
  condition,
  continueAsNew,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Decision,
  type MediaInput,
  type MediaResult,
  type MediaStage,
  type MediaState,
  type Progress,
} from '../contract';
import { describeHold } from './question';
import { type Settings } from './settings';

/** What a run knows: its progress, which outlives it, and what it is doing at the moment. */
export interface Run {
  readonly input: MediaInput;
  readonly settings: Settings;
  readonly progress: Progress;
  /** Of the whole run: tells whether somebody cancelled it. */
  readonly scope: CancellationScope;
  /** The run whose submissions a person ordered; else this run orders its own. */
  orderedBy: string | null;
  stage: MediaStage;
  /** What a person decided of the hold, until the run acts on it. */
  decision: Decision | null;
  /** Task ids that came after their submission was given up, by its number. */
  readonly lateAnswers: Map<number, string>;
  /** Somebody does not want to wait for the next poll. */
  pollAsked: boolean;
  /** A poll is on its way. */
  asking: boolean;
  nextPollAt: string | null;
  lastError: string | null;
}

export function startRun(input: MediaInput, settings: Settings, scope: CancellationScope): Run {
  const { runId, originalExecutionRunId } = workflowInfo();
  const carried = input.carried;
  const progress: Progress = {
    taskId: carried?.taskId ?? input.taskId ?? null,
    submittedAt: carried?.submittedAt ?? null,
    number: carried?.number ?? 0,
    attempts: [...(carried?.attempts ?? [])],
    hold: carried?.hold ?? null,
    decisions: [...(carried?.decisions ?? [])],
    deniedSince: carried?.deniedSince ?? null,
    polls: carried?.polls ?? 0,
    pollingSince: carried?.pollingSince ?? null,
    missingSince: carried?.missingSince ?? null,
    // Not a branch of the workflow: both ids stay what they are for the whole life of this run.
    reset: (carried?.reset ?? false) || runId !== originalExecutionRunId,
  };
  return {
    input,
    settings,
    progress,
    scope,
    orderedBy: null,
    stage: progress.taskId === null ? 'submitting' : progress.hold?.why === 'overdue' ? 'overdue' : 'polling',
    decision: null,
    lateAnswers: new Map(),
    pollAsked: false,
    asking: false,
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

export function describeRun(run: Run): MediaState {
  const { input, progress, stage, nextPollAt, lastError } = run;
  const { taskId, submittedAt, attempts, decisions, polls } = progress;
  return {
    key: input.key,
    tool: input.tool,
    stage,
    hold: describeHold(run),
    taskId,
    submittedAt,
    attempts,
    decisions,
    polls,
    nextPollAt,
    lastError,
  };
}
