/** As long as a message of the service, or a reason, is kept. */
const LONGEST_MESSAGE = 500;

/** The text in at most `longest` characters; "…" is the last of them where something is left out. */
export function truncate(text: string, longest = LONGEST_MESSAGE): string {
  if (text.length <= longest) return text;
  // Half of a surrogate pair is no character, and not every database stores it.
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
