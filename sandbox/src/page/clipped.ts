/** The beginning of a text that may be of any length, and how much of it is left out. */
export function clipped(text: string, most = 20_000): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${(text.length - most).toLocaleString('en')} characters more)`;
}
