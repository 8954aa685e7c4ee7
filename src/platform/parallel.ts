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

/** The same with results, in the items' order: an early result waits for those before it. */
export async function* inOrderFrom<Item, Result>(
  concurrency: number,
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const one = work(item);
      // An error is thrown in its turn; until then it must not end the process.
      one.catch(() => undefined);
      underWay.push(one);
      const [first] = underWay;
      if (first === undefined || underWay.length < concurrency) continue;
      yield await first;
      void underWay.shift();
    }
    for (const one of underWay) yield await one;
  } finally {
    await Promise.allSettled(underWay);
  }
}
