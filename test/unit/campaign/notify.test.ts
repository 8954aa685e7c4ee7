import { jobTable } from '../../../src/workflows/campaign/notify';
import { newJob } from '../../../src/workflows/campaign/state';

test('addresses and errors stay within their cell of the table', () => {
  const job = newJob('banner', 'media', false, '2026-01-01T00:00:00.000Z');
  const links = ['https://example.com/a_(1).png', 'https://example.com/b)|c'];
  const jobs = [
    { ...job, status: 'succeeded' as const, links },
    { ...job, name: 'logo', status: 'failed' as const, error: 'this | that\nand more' },
  ];
  expect(jobTable(jobs).split('\n').slice(2)).toEqual([
    '| banner | succeeded | [1](https://example.com/a_%281%29.png) [2](https://example.com/b%29%7Cc) |',
    '| logo | failed: this \\| that and more |  |',
  ]);
});
