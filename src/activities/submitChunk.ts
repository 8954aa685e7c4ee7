import { type ChunkOrder, type ChunkOutcome, type ChunkSubmission } from '../contract';
import { sendChunkOnce } from './atMostOnce/chunk';
import { type GuardOptions } from './atMostOnce/guards';
import { handOver } from './atMostOnce/completeExplicitly';
import { type LateTask, tellLateTasks } from './atMostOnce/lateAnswer';
import { type Post } from './atMostOnce/post';
import { unwantedBy } from './atMostOnce/batchStillRunning';
import { type Wire } from './protection/sendSlots';

/** The POSTs of several jobs. */
export function createSubmitChunk(post: Post, wire: Wire, guards: GuardOptions) {
  return async function submitChunk({
    batch,
    chunk,
    submissions,
    runId,
  }: ChunkOrder): Promise<ChunkOutcome[]> {
    const places = wire.reserve(submissions.length);
    const { room, whyNoMore: reason } = places;
    const withoutPlace: Record<number, ChunkOutcome> = Object.fromEntries(
      submissions
        .slice(places.count)
        .map(({ item }) => [item, { outcome: 'notSent', reason, room } as const]),
    );
    let asking: ReturnType<typeof unwantedBy> | undefined;
    const outcomes = await sendChunkOnce<ChunkSubmission, ChunkOutcome>(
      submissions,
      runId,
      guards,
      async (submission, window) => {
        // Once for all of them, and only by an attempt that may send.
        const notNow = (await (asking ??= unwantedBy(batch))) ?? withoutPlace[submission.item];
        if (notNow) return notNow;
        const outcome = await post.send(submission, window, chunk).finally(places.giveBackOne);
        post.note(submission, outcome);
        return outcome;
      },
      withoutPlace,
    ).finally(places.giveBackRest);
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
