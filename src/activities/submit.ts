import { log, metricMeter } from '@temporalio/activity';
import { type Api } from '../api/client';
import { type SubmitOrder, type SubmitOutcome } from '../contract';
import { submitReadRequestId, submitRequestId } from '../ids';
import { countSubmit } from '../metrics';
import { type Breaker } from './breaker';
import { type GuardOptions } from './guards';
import { handOver } from './handOver';
import { tellLateAnswer } from './lateAnswer';
import { sendOnce, type SendWindow } from './once';
import { type SharedTrouble } from './sharedTrouble';

/** The read that tells how the service is must leave time for the POST. */
const LONGEST_READ_MS = 5_000;

/** One POST of one job. */
export function createSubmit(api: Api, breaker: Breaker, denial: SharedTrouble, guards: GuardOptions) {
  return async function submit(order: SubmitOrder): Promise<SubmitOutcome> {
    const { key, attempt, tool, runId } = order;
    const outcome = await sendOnce(runId, guards, (window) => send(order, window));
    // At once: where recording the outcome fails, the log still has the task id.
    log.info('submit', { key, submission: submitRequestId(key, attempt), ...outcome });
    countSubmit(metricMeter, tool, outcome);
    if (outcome.outcome === 'accepted') denial.isOver();
    if (outcome.outcome !== 'accepted') return outcome;
    return handOver(outcome, () => tellLateAnswer(key, attempt, outcome.taskId));
  };

  function send(order: SubmitOrder, { sendBefore }: SendWindow): Promise<SubmitOutcome> {
    const { key, attempt, tool, request, scope } = order;
    const left = (most: number): number => Math.max(1, Math.min(most, sendBefore - Date.now()));
    return breaker.pass(
      () => {
        const requestId = submitReadRequestId(key, attempt);
        // With the order's own scope: what this submit would meet.
        return api.getWorkspace({}, { requestId, scope, timeoutMs: left(LONGEST_READ_MS) });
      },
      () => {
        const requestId = submitRequestId(key, attempt);
        return api.submit(tool, request, { requestId, scope, sendBefore, timeoutMs: left(Infinity) });
      },
    );
  }
}
