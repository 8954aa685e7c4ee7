import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  condition,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import {
  type Changed,
  changedSignal,
  type ChangeOutcome,
  LONGEST_CALL_MS,
  type ProjectChange,
  type ProjectRef,
  type Scope,
  type SegueActivities,
} from '../contract';
import { isRecord, isText } from '../rules/inputs';
import { doubling } from './backoff';

const [FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS] = [2 * 60_000, 3_600_000];

const asking: ActivityOptions = {
  summary: "asks the project's writer for a change",
  startToCloseTimeout: LONGEST_CALL_MS,
  // The writer drops what it was asked before, so asking again is harmless; what cannot be asked is not retryable.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
};
const patient = proxyActivities<SegueActivities>(asking);
// Given up soon, for once, so that the run can say that it takes long.
const first = proxyActivities<SegueActivities>({ ...asking, scheduleToCloseTimeout: FIRST_PATIENCE_MS });

export interface WriteOptions {
  /** As in the order: the only run that may ask for it. */
  onlyBy?: string;
  /** The writer has it now, and makes it whatever becomes of this run. */
  onAsked?: () => void;
  /** Patience ended without an answer; called again and again. */
  onDelay?: () => void;
}

/** The answers that came to this run, by change id. */
const answers = new Map<string, Changed>();

/**
 * Has a change of a project made by its writer, and waits for the outcome, however long the service takes.
 *
 * The change id is made by {@link changeIdOf}.
 */
export async function writeToProject(
  project: ProjectRef,
  scope: Scope | undefined,
  change: ProjectChange,
  changeId: string,
  { onlyBy, onAsked, onDelay }: WriteOptions = {},
): Promise<ChangeOutcome> {
  setHandler(changedSignal, keepAnswer, {
    description: 'Tells the outcome of a change that this run asked for: { changeId, ok, error }.',
  });
  const patience = doubling(FIRST_PATIENCE_MS, LONGEST_PATIENCE_MS);
  for (let { requestChange } = first; ; { requestChange } = patient) {
    const answer = answerTo(changeId);
    if (answer) return answer;
    try {
      await requestChange({ project, scope, change, changeId, onlyBy });
      onAsked?.();
      // The writer may have been lost with its answer; asked again, it drops what it has done and answers once more.
      if (await condition(() => answers.has(changeId), patience.next())) continue;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      if (error.retryState !== 'TIMEOUT') {
        if (!(error.cause instanceof ApplicationFailure)) throw error;
        return { ok: false, error: error.cause.message };
      }
    }
    onDelay?.();
  }
}

/** The writer's, if it is here. */
export function answerTo(changeId: string): ChangeOutcome | undefined {
  const answer = answers.get(changeId);
  if (!answer) return undefined;
  return answer.ok ? { ok: true } : { ok: false, error: answer.error };
}

/** Anybody can send a signal; what is no answer of a writer changes nothing. */
function keepAnswer(changed: unknown): void {
  if (isRecord(changed) && isText(changed.changeId)) answers.set(changed.changeId, changed as Changed);
}
