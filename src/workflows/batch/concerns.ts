/** What a person should know about a batch: shown on its page, and sent to the operator. */
import { type BatchEvent, type BatchInput } from '../../contract';
import { adviceOnStopped } from '../../contract/advice';
import { repeatedKey } from '../../contract/ids';
import { type Batch } from './state';

export interface Concern {
  event: BatchEvent;
  title: string;
  what: string;
  /** What it means, and what to do: paragraphs in Markdown. */
  advice: string[];
}

export function concernsOf(run: Batch): Concern[] {
  const { input, heldJobs, stopped, trouble, late, progress } = run;
  const { key } = input;
  const { incomplete } = progress;
  return [
    heldJobs > 0 && {
      event: 'held' as const,
      title: 'Items of a batch need your decision',
      what: 'some of its items wait for a person',
      advice: [
        'Each of them is a run of its own now. You are not notified of them one by one.',
        '- What waits, and the commands that decide it: `segue held`',
      ],
    },
    incomplete !== null && {
      event: 'incomplete' as const,
      title: 'Part of a batch will not run',
      what: `it lacks a part of its manifest: ${incomplete}`,
      advice: [
        'Partitions that were handed over continue. Do not start them again.',
        `- What became of each line that was: \`segue batch results ${key}\``,
      ],
    },
    stopped !== null && {
      event: 'stopped' as const,
      title: 'Part of a batch was stopped',
      what: `it continues without some of its items: ${stopped.reason}`,
      advice: [
        ...adviceOnStopped(key, stopped),
        'Where more of its partitions are stopped, you are not notified again.',
      ],
    },
    trouble !== null && {
      event: 'trouble' as const,
      title: 'Batch stalled: the service is in trouble',
      what: trouble,
      advice: [
        'Nothing is lost: the batch submits and polls again until the service answers.',
        '- Look at the service and at the credential of the workers: `segue doctor`',
      ],
    },
    late !== null && {
      event: 'late' as const,
      title: 'Batch stalled: slow tasks take all its slots',
      what: late,
      advice: [
        'Nothing is lost: these tasks are still polled, and other items start when they end. You are not notified of this again.',
        `- Let others begin beside them: \`segue batch concurrency ${key} --to N --by NAME\``,
      ],
    },
  ].filter((concern) => concern !== false);
}

/** The process that handed the manifest over was stopped, and did not come back. */
export function absence({ input, absent, progress }: Batch): Concern {
  const { partitions, arrivedAt, startedAt } = progress;
  return {
    event: 'absent',
    title: 'A batch waits for the rest of its manifest',
    what: `${absent.length} of ${partitions.length} partitions were not handed over; none came since ${arrivedAt ?? startedAt}`,
    advice: [
      'Partitions that were handed over continue, and are not submitted again.',
      ...restLines(input),
      `- Or do without it, and end: \`segue batch cancel ${input.key} --by NAME\``,
    ],
  };
}

/** The command that hands over the rest of the manifest. A retry has a derived key, and reads the batch that it repeats. */
export function restLines({ key, source }: Pick<BatchInput, 'key' | 'source'>): string[] {
  const repeated = repeatedKey(key);
  if (repeated !== undefined)
    return [
      `It runs the failed items of \`${repeated}\` again, and takes them from there: it needs no manifest.`,
      `- Hand over the rest: \`segue batch retry ${repeated}\``,
    ];
  return [
    ...(source === undefined ? [] : [`It is of a schedule, which reads its manifest from ${source}.`]),
    `- Hand over the rest, with the same manifest: \`segue batch start MANIFEST --key ${key}\``,
  ];
}
