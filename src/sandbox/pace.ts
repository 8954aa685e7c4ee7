import { parseDuration } from '../contract/durations';

/** How long the sandbox takes for a task. */
export type Pace = { kind: 'instant' } | { kind: 'polls'; polls: number } | { kind: 'time'; ms: number };

export const PACE_FORM = '"instant", "polls=N" (done at the Nth poll) or a duration like 5s';

export function parsePace(text: string): Pace | undefined {
  if (text === 'instant') return { kind: 'instant' };
  const polls = /^polls=([1-9]\d{0,5})$/.exec(text);
  if (polls) return { kind: 'polls', polls: Number(polls[1]) };
  const ms = parseDuration(text);
  return ms === undefined ? undefined : { kind: 'time', ms };
}

/** Whether a task is over, at its `polls`th poll and this long after it was submitted. */
export function isOver(pace: Pace, task: { polls: number; ageMs: number }): boolean {
  switch (pace.kind) {
    case 'instant':
      return true;
    case 'polls':
      return task.polls >= pace.polls;
    case 'time':
      return task.ageMs >= pace.ms;
  }
}
