import { type SubmitOrder, type SubmitOutcome } from '../contract';
import { type GuardOptions } from './guards';
import { handOver } from './handOver';
import { tellLateAnswer } from './lateAnswer';
import { sendOnce } from './once';
import { type Post } from './post';

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
