import { type ChunkOrder, type ChunkOutcome, type ChunkSubmission } from '../contract';
import { sendChunkOnce } from './chunk';
import { type GuardOptions } from './guards';
import { handOver } from './handOver';
import { type LateTask, tellLateTasks } from './lateAnswer';
import { type Post } from './post';
import { unwantedBy } from './stillWanted';
import { type Wire } from './wire';

/** The POSTs of several jobs. */
export function createSubmitChunk(post: Post, wire: Wire, guards: GuardOptions) {
  return async function submitChunk({ batch, submissions, runId }: ChunkOrder): Promise<ChunkOutcome[]> {
    let asking: ReturnType<typeof unwantedBy> | undefined;
    const outcomes = await sendChunkOnce<ChunkSubmission, ChunkOutcome>(
      submissions,
      runId,
      guards,
      async (submission, window) => {
        // Once for all of them, and only by an attempt that may send.
        const unwanted = await (asking ??= unwantedBy(batch));
        if (unwanted) return unwanted;
        const outcome = await wire.send(() => post.send(submission, window));
        post.note(submission, outcome);
        return outcome;
      },
    );
    const accepted = acceptedOf(submissions, outcomes);
    return accepted.length === 0 ? outcomes : handOver(outcomes, () => tellLateTasks(accepted));
  };
}

function acceptedOf(submissions: ChunkSubmission[], outcomes: ChunkOutcome[]): LateTask[] {
  return outcomes.flatMap((outcome, place) => {
    const submission = submissions[place];
    if (!submission || outcome.outcome !== 'accepted') return [];
    const { key, item, attempt } = submission;
    return [{ key, item, attempt, taskId: outcome.taskId }];
  });
}
