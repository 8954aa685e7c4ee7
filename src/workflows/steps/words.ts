/** What a run says of itself, in Markdown, to somebody who was just woken up. */
import { workflowInfo } from '@temporalio/workflow';
import { type Hold } from '../../contract';
import { projectWriterId } from '../../contract/ids';
import { type Following } from './following';
import { describeHold } from './question';
import { isDelayed } from './visibility';

/** What a run says of an end, or of what comes just before it; the rest each kind says itself. */
export function endDetails(run: Following, stage: EndStage): string {
  const { kind, id } = run.subject;
  const known = id();
  const thing = known === null ? '' : ` (${kind} \`${known}\`)`;
  switch (stage) {
    case 'writing':
      return lines(
        `What became of the job${thing} is being written to the project.`,
        ...(isDelayed(run) ? [delayOf(run)] : []),
      );
    case 'notifying':
      return `The service is done${thing}; somebody is being told.`;
    case 'succeeded':
    case 'failed':
    case 'abandoned':
    case 'cancelled':
      return `The job ${stage === 'succeeded' ? 'succeeded' : stage === 'failed' ? 'failed' : `was ${stage}`}${thing}.`;
    default:
      return stage satisfies never;
  }
}

function delayOf({ input: { scope, write } }: Following): string {
  const { resourcetype = '', id = '' } = write?.project ?? {};
  const writer = projectWriterId(scope?.organization ?? 'WORKSPACE', { resourcetype, id });
  return `That takes longer than it should, and is not given up. Why, the project's writer tells: the run \`${writer}\`.`;
}

export type EndStage = 'writing' | 'notifying' | 'succeeded' | 'failed' | 'abandoned' | 'cancelled';

/** What a hold means, by why it is there. */
export const MEANING: Record<Hold['why'], string> = {
  unknown:
    'The service may have accepted the job, and may already work on it for money. Segue sends nothing until a person decides.',
  missing:
    'The service accepted the job and no longer knows its task. Segue asks no more and sends nothing until a person decides.',
  overdue:
    'The service still works on the job, or never says that it is over. Segue goes on asking, more slowly.',
};

/** `lookFor` is what a person looks for in the service before deciding. */
export function holdDetails(run: Following, lookFor: string): string {
  const hold = describeHold(run);
  if (!hold) return 'Decided; going on.';
  return lines(
    `**Needs a person** since ${hold.since}.`,
    `What happened: ${hold.reason}`,
    `What it means: ${MEANING[hold.why]}`,
    hold.why === 'overdue'
      ? 'What to do: nothing, or give it up:'
      : `What to do: look in the service for ${lookFor}, then decide:`,
    ...commandsOf(run).map(({ when, command }) => `- ${when}: \`${command}\``),
  );
}

/** The exact commands that decide a hold, and when each is right. */
export function commandsOf(run: Following): { when: string; command: string }[] {
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

/** What the last question met, where that was an error: whoever waits should know why nothing is heard. */
export function troubleOf({ lastError }: Following): string[] {
  return lastError === null ? [] : [`The last question met an error, and is asked again: ${lastError}`];
}

export function lines(...paragraphs: string[]): string {
  return paragraphs.join('\n\n');
}
