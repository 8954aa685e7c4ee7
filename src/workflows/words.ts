/** What a run says of itself, in Markdown, to somebody who was just woken up. */
import { workflowInfo } from '@temporalio/workflow';
import { type Hold } from '../contract';
import { formatDuration } from '../durations';
import { submitRequestId } from '../ids';
import { type Run } from './progress';
import { describeHold } from './question';

export function detailsOf(run: Run): string {
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
    case 'overdue':
      return holdDetails(run);
    case 'polling':
      return `The service works on it${task}; asked every ${formatDuration(settings.pollMin)} to ${formatDuration(settings.pollMax)}. Nothing is to be done.`;
    case 'writing':
      return `The service is done${task}; the result is being written to the project.`;
    case 'notifying':
      return `The service is done${task}; somebody is being told.`;
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return `The job ${stage === 'succeeded' ? 'succeeded' : stage === 'failed' ? 'failed' : `was ${stage}`}${task}.`;
    default:
      return stage satisfies never;
  }
}

/** What a hold means, by why it is there. */
export const MEANING: Record<Hold['why'], string> = {
  unknown:
    'The service may have accepted the job, and may already work on it for money. Segue sends nothing until a person decides.',
  missing:
    'The service accepted the job and no longer knows its task. Segue asks no more and sends nothing until a person decides.',
  overdue:
    'The service still works on the job, or never says that it is over. Segue goes on asking, more slowly.',
};

function holdDetails(run: Run): string {
  const { progress, input } = run;
  const hold = describeHold(run);
  if (!hold) return 'Decided; going on.';
  const last = progress.attempts.at(-1);
  const sent =
    last &&
    `submission ${last.n}, sent at ${last.at} as X-Request-Id \`${submitRequestId(input.key, last.n)}\``;
  return lines(
    `**Needs a person** since ${hold.since}.`,
    `What happened: ${hold.reason}`,
    `What it means: ${MEANING[hold.why]}`,
    hold.why === 'overdue'
      ? 'What to do: nothing, or give it up:'
      : `What to do: look in the service for ${sent ?? `task \`${progress.taskId ?? ''}\``}, then decide:`,
    ...commandsOf(run).map(({ when, command }) => `- ${when}: \`${command}\``),
  );
}

/** The exact commands that decide a hold, and when each is right. */
export function commandsOf(run: Run): { when: string; command: string }[] {
  const hold = describeHold(run);
  const decide = `segue resolve ${workflowInfo().workflowId}`;
  const all = {
    adopt: { when: 'the job is there', command: `${decide} --adopt TASK_ID --reason "found it"` },
    resubmit: {
      when: `it is not there (from ${hold?.resubmitAfter ?? 'now'} on)`,
      command: `${decide} --resubmit --reason "not there"`,
    },
    abandon: { when: 'nobody needs it any more', command: `${decide} --abandon --reason "not needed"` },
  };
  return (hold?.actions ?? []).map((action) => all[action]);
}

function lines(...paragraphs: string[]): string {
  return paragraphs.join('\n\n');
}
