/** Whether a value is a text of ASCII without blanks, and no longer than that. */
export function isPrintable(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && /^[\x21-\x7e]+$/.test(value);
}

/** Whether a text can be the service's id of something and a part of a path: not empty, no outer blanks, no climbing. */
export function isId(text: string): boolean {
  return text !== '' && text === text.trim() && text !== '.' && text !== '..' && !/\p{Surrogate}/u.test(text);
}
