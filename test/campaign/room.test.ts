/** What a campaign knows must fit into one hand-over, whatever its jobs and its people say. */
import { problemsOfAddedMedia } from '../../src/rules/campaign';
import { campaignFailed } from '../../src/workflows/campaign/ending';
import { withRoom } from '../../src/workflows/campaign/news';

const LARGEST = 2 * 1024 * 1024;
const media = { tool: 'remove-background', request: { image_url: 'https://example.com/shoe.png' } };

test('media is added as long as the campaign stays within its limits', () => {
  const order = { name: 'more', by: 'u', ...media };
  const names = Array.from({ length: 1_000 }, (_, n) => `job-${n}`);
  expect(problemsOfAddedMedia(order, names.slice(1), { media: 'x'.repeat(500_000) })).toEqual([]);
  expect(problemsOfAddedMedia(order, names, { media: 'x'.repeat(525_000) })).toEqual([
    'the order: the campaign has 1000 jobs, and takes no more',
    expect.stringMatching(/^the order: with it the campaign has \d+ bytes, more than 524288$/),
  ]);
});

test('a thousand jobs with long addresses keep as many as there is room for', () => {
  const links = Array.from({ length: 5 }, (_, n) => `https://example.com/${n}?${'x'.repeat(1_900)}`);
  const jobs: { links: string[] }[] = [];
  for (let n = 0; n < 1_000; n++) jobs.push({ links: withRoom(jobs, links) });
  expect(jobs[0]?.links).toEqual(links);
  expect(JSON.stringify(jobs).length).toBeLessThan(400_000);
});

test('a thousand failed jobs can be told', () => {
  const error = 'x'.repeat(500);
  const jobs = Array.from({ length: 1_000 }, (_, n) => ({ name: `job-${n}`, status: 'failed', error }));
  const problems = jobs.map(({ name }) => `${name} failed: ${error}`);
  const run = { input: { key: 'c' }, progress: { jobs } } as never;
  const { message, details } = campaignFailed(run, '1000 of its 1000 jobs did not succeed', problems);
  expect(message).toMatch(/^Campaign c failed: 1000 of its 1000 jobs did not succeed: job-0 failed: x/);
  expect(JSON.stringify([message, details]).length).toBeLessThan(LARGEST / 2);
  expect((details as [{ problems: string[] }])[0].problems.at(-1)).toBe('and 900 more');
});
