const MOST_LINKS = 5;
const LONGEST_LINK = 2_000;

/** The first few addresses in a document, in its order. A text that only speaks of one is none. */
export function linksIn(document: unknown): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (found.size === MOST_LINKS) return;
    if (typeof value === 'string') {
      if (isLink(value)) found.add(value);
    } else if (value !== null && typeof value === 'object') {
      Object.values(value).forEach(look);
    }
  };
  look(document);
  return [...found];
}

function isLink(text: string): boolean {
  return text.length <= LONGEST_LINK && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
