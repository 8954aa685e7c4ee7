import { heartbeat } from '@temporalio/activity';
import { type ChunkNotes, type ChunkOrder, type ChunkSubmission, type SubmitOutcome } from '../contract';
import { type GuardOptions } from './guards';
import { handOver } from './handOver';
import { type LateTask, tellLateTasks } from './lateAnswer';
import { sendOnce } from './once';
import { type Post } from './post';
import { type Wire } from './wire';

/**
 * The POSTs of several jobs, all at once: what queued here would be unknown after a crash for nothing. Task ids go to
 * the server with the next sign of life, so that a worker that dies takes only those along that it had no answer to.
 */
export function createSubmitChunk(post: Post, wire: Wire, guards: GuardOptions) {
  return async function submitChunk({ submissions, runId }: ChunkOrder): Promise<SubmitOutcome[]> {
    const notes: ChunkNotes = {};
    const sent = await sendOnce(
      runId,
      guards,
      (window) =>
        Promise.all(
          submissions.map(async (submission) => {
            const outcome = await wire.send(() => post.send(submission, window));
            post.note(submission, outcome);
            notes[submission.item] = outcome;
            heartbeat(notes);
            return outcome;
          }),
        ),
      () => notes,
    );
    // Not even begun: a guard refused all of them.
    if (!Array.isArray(sent)) return submissions.map(() => sent);
    const late = acceptedOf(submissions, sent);
    return late.length === 0 ? sent : handOver(sent, () => tellLateTasks(late));
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
