import { type Page } from './operations/lists';

/**
 * Walks a list page by page until one is empty or was there before. A short page is not the end: how long pages
 * are, and what the service does past the last one, is not published.
 */
export async function* walkPages(
  getPage: (page: number) => Promise<Page>,
  first = 1,
): AsyncGenerator<unknown[], void, undefined> {
  const seen = new Set<string>();
  for (let number = first; ; number++) {
    const { items } = await getPage(number);
    const content = JSON.stringify(items);
    if (items.length === 0 || seen.has(content)) return;
    seen.add(content);
    yield items;
  }
}
