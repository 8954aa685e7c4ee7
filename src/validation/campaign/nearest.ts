/** What somebody may have meant who wrote a name that nobody knows. */

/** Two letters wrong may be a slip; three are another word. */
const MOST_SLIPS = 2;
/** Longer ones are no slips, and comparing them takes time. */
const LONGEST_NAME = 60;

/** ` (did you mean "banner"?)`, or nothing. */
export function suggestion(written: string, known: readonly string[]): string {
  const near = nearest(written, known);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}

function nearest(written: string, known: readonly string[]): string | undefined {
  if (written.length > LONGEST_NAME) return undefined;
  const ranked = known
    .map((name) => ({ name, slips: slipsBetween(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, slips }) => slips <= Math.min(MOST_SLIPS, name.length - 1))
    .sort((a, b) => a.slips - b.slips);
  return ranked[0]?.name;
}

/** Levenshtein's distance: letters to add, drop or change; no further than anybody asks. */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_SLIPS) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let line = 1; line <= a.length; line++) {
    const next = [line];
    for (let column = 1; column <= b.length; column++) {
      const changed = (row[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > MOST_SLIPS) return Infinity;
    row = next;
  }
  return row[b.length] ?? 0;
}
