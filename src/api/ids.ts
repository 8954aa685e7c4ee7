/** Whether a text can be the service's id of something and a part of a path: not empty, no outer blanks, no climbing. */
export function isId(text: string): boolean {
  return text !== '' && text === text.trim() && text !== '.' && text !== '..' && !/\p{Surrogate}/u.test(text);
}
