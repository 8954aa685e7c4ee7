import { log, metricMeter } from '@temporalio/activity';
import { type Api } from '../../api/client';
import { type SubmitOrder, type SubmitOutcome } from '../../contract';
import { submitReadRequestId, submitRequestId } from '../../contract/ids';
import { countSubmit } from '../lib/metrics';
import { type Breaker } from '../protection/breaker';
import { deniedTo, type Denials } from '../protection/denials';
import { NOT_AWAITED, type SendWindow } from './once';
import { type Quiet } from '../protection/rateLimitPause';

/** The read that tells how the service is must leave time for the POST. */
const LONGEST_READ_MS = 5_000;

export type Submission = Omit<SubmitOrder, 'runId'>;

/** The POST of a job, for all that submits with one credential. */
export interface Post {
  /** Sends it, marked as `n`, unless the breaker holds it back or the service asked this worker to wait. */
  send: (submission: Submission, window: SendWindow, n: number) => Promise<SubmitOutcome>;
  /** At once: where recording the outcome fails, the log still has the task id. */
  note: (submission: Submission, outcome: SubmitOutcome) => void;
}

export function createPost(api: Api, breaker: Breaker, quiet: Quiet, denials: Denials): Post {
  return { send, note };

  function note({ key, attempt, tool, scope }: Submission, outcome: SubmitOutcome): void {
    log.info('submit', { key, submission: submitRequestId(key, attempt), ...outcome });
    countSubmit(metricMeter, tool, outcome);
    if (outcome.outcome === 'accepted') denials.areOver(scope);
  }

  function send(submission: Submission, { sendBefore, mark }: SendWindow, n: number): Promise<SubmitOutcome> {
    const { key, attempt, tool, request, scope } = submission;
    const left = (most: number): number => Math.max(1, Math.min(most, sendBefore - Date.now()));
    const read = (): Promise<unknown> => {
      const requestId = submitReadRequestId(key, attempt);
      // With the order's own scope: what this submit would meet.
      return api.getWorkspace({}, { requestId, scope, timeoutMs: left(LONGEST_READ_MS) });
    };
    const submit = async (): Promise<SubmitOutcome> => {
      if (!(await mark(n))) return NOT_AWAITED;
      const requestId = submitRequestId(key, attempt);
      return api.submit(tool, request, { requestId, scope, sendBefore, timeoutMs: left(Infinity) });
    };
    return quiet.keep(() => breaker.pass((status) => deniedTo(status, scope), read, submit));
  }
}
