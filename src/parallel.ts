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

/** The same for items that come one by one, without results: no more of them are asked for than there is room for. */
export async function inParallelFrom<Item>(
  atOnce: number,
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = (item: Item): void => {
    const one: Promise<void> = work(item)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => underWay.delete(one));
    underWay.add(one);
  };
  try {
    for await (const item of items) {
      begin(item);
      if (underWay.size >= atOnce) await Promise.race(underWay);
      if (failures.length > 0) break;
    }
  } catch (error) {
    failures.push(error);
  }
  // After an error, too: whoever is told of it may close what the work still needs.
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}

/** The same with results, in the items' order: what is done early waits for those before it. */
export async function* inOrderFrom<Item, Result>(
  atOnce: number,
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  const begin = (item: Item): void => {
    const one = work(item);
    // Told when its turn comes; until then it must not end the process.
    one.catch(() => undefined);
    underWay.push(one);
  };
  for await (const item of items) {
    begin(item);
    const [first] = underWay;
    if (first === undefined || underWay.length < atOnce) continue;
    yield await first;
    void underWay.shift();
  }
  for (const one of underWay) yield await one;
}
