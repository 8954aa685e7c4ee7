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

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Milliseconds, or undefined when the text is not a duration. */
function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match ? Math.round(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]) : undefined;
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
