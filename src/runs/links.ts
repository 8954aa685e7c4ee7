const LONGEST_LINK = 2_000;

/** The first few addresses in a document, in its order: only texts that are nothing but an address. */
export function linksIn(document: unknown, most: number): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (found.size === most) return;
    if (typeof value === 'string') {
      if (isLink(value)) found.add(value);
    } else if (value !== null && typeof value === 'object') {
      Object.values(value).forEach(visit);
    }
  };
  visit(document);
  return [...found];
}

function isLink(text: string): boolean {
  return text.length <= LONGEST_LINK && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
