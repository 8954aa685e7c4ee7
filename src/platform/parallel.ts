/** Runs `work` for every item, at most `concurrency` at a time, and returns the results in the items' order. */
export async function inParallel<Item, Result>(
  concurrency: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  await inParallelFrom(concurrency, items.entries(), async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}

/**
 * The same without results, for items that come one by one: an item is read only when it can begin. After an error nothing
 * more begins, and the error is thrown when all running work has ended, so that the caller may close what the work uses.
 */
export async function inParallelFrom<Item>(
  concurrency: number,
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const item of items) {
      const one: Promise<void> = work(item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(one));
      underWay.add(one);
      if (underWay.size >= concurrency) await Promise.race(underWay);
      if (failures.length > 0) break;
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
