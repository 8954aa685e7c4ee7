/** What a media job says of itself, in Markdown. */
import { formatDuration } from '../../contract/durations';
import { submitRequestId } from '../../contract/ids';
import { type Run } from './progress';
import { endDetails, holdDetails, lines, troubleOf } from './words';

export function detailsOf(run: Run): string {
  return lines(detailsOfStage(run), ...unfollowed(run));
}

/** Tasks that the service has for this job beside the one that is followed: paid for, and somebody may want them. */
function unfollowed({ progress }: Run): string[] {
  const submitted = progress.attempts.map(({ n, taskId }) => ({ name: `submission ${n}`, taskId }));
  const others = progress.otherTasks.map((taskId) => ({
    name: 'a submission that this run does not know',
    taskId,
  }));
  return [...submitted, ...others].flatMap(({ name, taskId }) =>
    taskId === undefined || taskId === progress.taskId
      ? []
      : [`The service accepted ${name} too, as task \`${taskId}\`: \`segue get task ${taskId}\``],
  );
}

function detailsOfStage(run: Run): string {
  const { input, progress, stage, settings } = run;
  const task = progress.taskId === null ? '' : ` (task \`${progress.taskId}\`)`;
  switch (stage) {
    case 'submitting':
      return `Submitting to ${input.tool}. Nothing is to be done.`;
    case 'waiting':
      return lines(
        'Waiting to submit: the service did not take the job yet, and nothing was accepted.',
        `What happened: ${run.lastError ?? 'nothing yet'}`,
        'It tries again by itself. Nothing is to be done, unless the service is known to be down for good.',
      );
    case 'held':
      return holdDetails(run, whatToLookFor(run));
    case 'overdue':
      return lines(holdDetails(run, whatToLookFor(run)), ...troubleOf(run));
    case 'polling':
      return lines(
        `The service works on it${task}; asked every ${formatDuration(settings.pollMin)} to ${formatDuration(settings.pollMax)}. Nothing is to be done.`,
        ...troubleOf(run),
      );
    case 'writing':
    case 'notifying':
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return endDetails(run, stage);
  }
}

function whatToLookFor({ input, progress }: Run): string {
  const last = progress.attempts.at(-1);
  if (!last) return `task \`${progress.taskId ?? ''}\``;
  return `submission ${last.n}, ordered at ${last.at} as X-Request-Id \`${submitRequestId(input.key, last.n)}\``;
}
