/**
 * Does the work for every item, at most so many at a time, and gives the results in the items' order. After an error
 * nothing more is taken on.
 */
export async function inParallel<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  // Shared by all who take items from it. Unlike a list's own iterator it is closed when one of them fails.
  const left = entriesOf(items);
  const takeOn = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeOn));
  return results;
}

function* entriesOf<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
