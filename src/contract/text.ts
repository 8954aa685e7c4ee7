/** As long as a message of the service, or a reason, is kept. */
const LONGEST_MESSAGE = 500;

/** The text in at most `longest` characters; "…" is the last of them where something is left out. */
export function truncate(text: string, longest = LONGEST_MESSAGE): string {
  if (text.length <= longest) return text;
  // Half of a surrogate pair is no character, and not every database stores it.
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const CUT = '…';

/** The text in at most `most` bytes, as UTF-8 in JSON; never cut inside a character. */
export function truncateBytes(text: string, most: number): string {
  let [bytes, kept] = [0, ''];
  for (const character of text) {
    bytes += bytesInJson(character);
    if (bytes > most) return kept + CUT;
    if (bytes <= most - bytesInJson(CUT)) kept += character;
  }
  return text;
}

/** JSON escapes some characters. Faster than to encode each one. */
function bytesInJson(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  return Math.max(bytes, JSON.stringify(character).length - 2);
}
