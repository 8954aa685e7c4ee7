/** Work on many items: what becomes of the rest when one breaks off. */
import { setImmediate } from 'node:timers/promises';
import { inParallel, inParallelFrom } from '../../src/platform/parallel';

/** Work that is over when the test says so. */
function byHand() {
  const ends = new Map<number, (error?: Error) => void>();
  return {
    work: (item: number): Promise<void> =>
      new Promise((resolve, reject) => {
        ends.set(item, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    end: (item: number, error?: Error) => ends.get(item)?.(error),
  };
}

async function* breaksOffAfter(count: number): AsyncGenerator<number> {
  for (let item = 1; item <= count; item += 1) yield await Promise.resolve(item);
  throw new Error('no more can be read');
}

/** What has become of it, once all that can happen by itself has happened. */
async function settled(outcome: Promise<unknown>): Promise<string> {
  await setImmediate();
  return Promise.race([
    outcome.then(
      () => 'done',
      (error: unknown) => (error as Error).message,
    ),
    setImmediate('under way'),
  ]);
}

test('what is under way is waited for when no more items can be had', async () => {
  const { work, end } = byHand();
  const all = inParallelFrom(4, breaksOffAfter(2), work);
  all.catch(() => undefined);
  expect(await settled(all)).toBe('under way');
  end(1);
  expect(await settled(all)).toBe('under way');
  end(2);
  expect(await settled(all)).toBe('no more can be read');
});

test('the first error is the one that is told', async () => {
  const later = byHand();
  const broken = inParallelFrom(4, breaksOffAfter(1), later.work);
  broken.catch(() => undefined);
  expect(await settled(broken)).toBe('under way');
  later.end(1, new Error('later'));
  expect(await settled(broken)).toBe('no more can be read');

  const fails = (item: number): Promise<void> => Promise.reject(new Error(`item ${item}`));
  await expect(inParallelFrom(1, breaksOffAfter(1), fails)).rejects.toThrow('item 1');
});

test('of a list, too, what is under way is waited for, and nothing more is begun', async () => {
  const { work, end } = byHand();
  const begun: number[] = [];
  const all = inParallel(2, [1, 2, 3], (item) => {
    begun.push(item);
    return work(item);
  });
  all.catch(() => undefined);
  expect(await settled(all)).toBe('under way');
  end(1, new Error('item 1'));
  expect(await settled(all)).toBe('under way');
  end(2);
  expect(await settled(all)).toBe('item 1');
  expect(begun).toEqual([1, 2]);
});
