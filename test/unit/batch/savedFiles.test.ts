/** Results that point to no file: which, why, and whether asking again would help. */
import { FileTally } from '../../../src/cli/batch/results';
import { saveFilesOf } from '../../../src/client/files';
import { boundedInfo } from '../../../src/activities/lib/resultSize';
import { shared } from '../../support/jest/shared';

const place = { into: shared().scratch, at: '/images', proxy: {} };

function saidBy(work: () => void): string {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    work();
    return write.mock.calls.join('');
  } finally {
    write.mockRestore();
  }
}

test('a result that was too large to keep is named with the command that reads it', async () => {
  const info = boundedInfo({ images: ['x'.repeat(100)] }, 'segue get task t-1 --json', 50);
  expect(await saveFilesOf(info, 'a', place)).toMatch(
    /^at \/images: the result has \d+ bytes, too many to keep\. The service has it: segue get task t-1 --json$/,
  );
});

test('nobody is sent to the same command again for results without files', () => {
  const item = { key: 'a', status: 'succeeded', taskId: 't-1' } as const;
  const without = new FileTally();
  const said = saidBy(() => {
    without.note({ ...item, info: {}, files: [], unsaved: 'at /images: there is nothing' });
    expect(without.finish()).toBe(1);
  });
  expect(said).toContain('0 files saved, 0 were there, 0 could not be saved; 1 items have none to save');
  expect(said).not.toContain('The same command');

  const failed = { url: 'https://x.test/a', status: 'failed', path: null, error: 'no answer' } as const;
  const broken = new FileTally();
  const advice = saidBy(() => {
    broken.note({ ...item, info: {}, files: [failed] });
    expect(broken.finish()).toBe(1);
  });
  expect(advice).toContain('The same command tries those again');
});
