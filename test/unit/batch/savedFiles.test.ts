/** Results that point to no file: which, and why. */
import { saveFilesOf } from '../../../src/client/files';
import { boundedInfo } from '../../../src/activities/lib/resultSize';
import { shared } from '../../support/jest/shared';

const place = { into: shared().scratch, at: '/images', proxy: {} };

test('a result that was too large to keep is named with the command that reads it', async () => {
  const info = boundedInfo({ images: ['x'.repeat(100)] }, 'segue get task t-1 --json', 50);
  expect(await saveFilesOf(info, 'a', place)).toMatch(
    /^at \/images: the result has \d+ bytes, too many to keep\. The service has it: segue get task t-1 --json$/,
  );
});
