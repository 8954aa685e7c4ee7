import { type ChunkOrder, type ChunkSubmission, type SubmitOutcome } from '../contract';
import { sendChunkOnce } from './chunk';
import { type GuardOptions } from './guards';
import { handOver } from './handOver';
import { type LateTask, tellLateTasks } from './lateAnswer';
import { type Post } from './post';
import { type Wire } from './wire';

/** The POSTs of several jobs. */
export function createSubmitChunk(post: Post, wire: Wire, guards: GuardOptions) {
  return async function submitChunk({ submissions, runId }: ChunkOrder): Promise<SubmitOutcome[]> {
    const outcomes = await sendChunkOnce(submissions, runId, guards, async (submission, window) => {
      const outcome = await wire.send(() => post.send(submission, window));
      post.note(submission, outcome);
      return outcome;
    });
    const accepted = acceptedOf(submissions, outcomes);
    return accepted.length === 0 ? outcomes : handOver(outcomes, () => tellLateTasks(accepted));
  };
}

function acceptedOf(submissions: ChunkSubmission[], outcomes: SubmitOutcome[]): LateTask[] {
  return outcomes.flatMap((outcome, place) => {
    const submission = submissions[place];
    if (!submission || outcome.outcome !== 'accepted') return [];
    const { key, item, attempt } = submission;
    return [{ key, item, attempt, taskId: outcome.taskId }];
  });
}
