/** Results that point to no file: which, and why. */
import { savingFiles, saveFilesOf } from '../../../src/client/files';
import { type BatchItemResult } from '../../../src/contract';
import { boundedInfo } from '../../../src/activities/lib/resultSize';
import { shared } from '../../support/jest/shared';

const place = { into: shared().scratch, at: '/images', proxy: {} };

test('a result that was too large to keep is named with the command that reads it', async () => {
  const info = boundedInfo({ images: ['x'.repeat(100)] }, 'segue get task t-1 --json', 50);
  expect(await saveFilesOf(info, 'a', place)).toMatch(
    /^at \/images: the result has \d+ bytes, too many to keep\. The service has it: segue get task t-1 --json$/,
  );
});

async function* results(count: number): AsyncGenerator<BatchItemResult> {
  for (let n = 1; n <= count; n += 1)
    yield await Promise.resolve({ key: `k-${n}`, status: 'failed', taskId: null } as BatchItemResult);
}

test.each([0, 16, 17])('of %i results, all are given, in their order', async (count) => {
  const keys: string[] = [];
  for await (const { key } of savingFiles(results(count), place)) keys.push(key);
  expect(keys).toEqual(Array.from({ length: count }, (_, index) => `k-${index + 1}`));
});
