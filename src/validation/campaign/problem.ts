/** What is wrong, and where: a starter who has the text of a spec turns the path into a line and a column. */
export type Path = readonly (string | number)[];

export interface Problem {
  path: Path;
  words: string;
  /** Whether the name is wrong, not what it names. */
  ofName?: true;
}

/** `media.banner.tool: must be a text` */
export function problemText({ path, words }: Problem): string {
  return `${path.join('.') || 'the campaign'}: ${words}`;
}

/** Problems that others tell as `field: words`, at their place in the whole. */
export function problemsWithin(path: Path, texts: string[]): Problem[] {
  return texts.map((text) => {
    const colon = text.indexOf(': ');
    return { path: [...path, ...text.slice(0, colon).split('.')], words: text.slice(colon + 2) };
  });
}
