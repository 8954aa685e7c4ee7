import { type SubmitOrder, type SubmitOutcome } from '../contract';
import { type GuardOptions } from './atMostOnce/guards';
import { handOver } from './atMostOnce/completeExplicitly';
import { tellLateAnswer } from './atMostOnce/lateAnswer';
import { sendOnce } from './atMostOnce/once';
import { type Post } from './atMostOnce/post';

/** One POST of one job. */
export function createSubmit(post: Post, guards: GuardOptions) {
  return async function submit({ runId, ...submission }: SubmitOrder): Promise<SubmitOutcome> {
    const { key, attempt } = submission;
    const outcome = await sendOnce(runId, guards, (window) => post.send(submission, window, attempt));
    post.note(submission, outcome);
    if (outcome.outcome !== 'accepted') return outcome;
    return handOver(outcome, () => tellLateAnswer(key, attempt, outcome.taskId));
  };
}
