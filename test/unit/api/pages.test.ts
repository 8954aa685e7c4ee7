import { walkPages } from '../../../src/api/operations/lists';

describe('pages', () => {
  async function walk(pages: unknown[][], first?: number): Promise<{ items: unknown[]; asked: number[] }> {
    const asked: number[] = [];
    const items: unknown[] = [];
    const getPage = (page: number) => {
      asked.push(page);
      return Promise.resolve({ items: pages[Math.min(page, pages.length) - 1] ?? [] });
    };
    for await (const page of walkPages(getPage, first)) items.push(...page);
    return { items, asked };
  }

  test('are walked until an empty one, not until a short one', async () => {
    expect(await walk([[1, 2], [3], [4, 5], []])).toEqual({ items: [1, 2, 3, 4, 5], asked: [1, 2, 3, 4] });
  });

  test('are walked until one that was there before: some services repeat their last page', async () => {
    expect(await walk([[1, 2], [3]])).toEqual({ items: [1, 2, 3], asked: [1, 2, 3] });
  });

  test('can be walked from any page', async () => {
    expect(await walk([[1], [2], []], 2)).toEqual({ items: [2], asked: [2, 3] });
  });
});
