/** What a campaign knows must fit into one hand-over, whatever its jobs and its people say. */
import { bytesOf } from '../../../src/api/json';
import { LARGEST_CAMPAIGN_BYTES, validateAddedMedia } from '../../../src/validation/campaign';
import { campaignFailed } from '../../../src/workflows/campaign/stages';
import { fitLinks, truncateError } from '../../../src/workflows/campaign/supervise';
import { addRemark, newJob } from '../../../src/workflows/campaign/state';

const LARGEST = 2 * 1024 * 1024;
const media = { tool: 'remove-background', request: { image_url: 'https://example.com/shoe.png' } };

test('media is added as long as the campaign stays within its limits', () => {
  const order = { name: 'more', by: 'u', ...media };
  const names = Array.from({ length: 1_000 }, (_, n) => `job-${n}`);
  expect(validateAddedMedia(order, { names: names.slice(1), asked: { media: 'x'.repeat(500_000) } })).toEqual(
    [],
  );
  expect(validateAddedMedia(order, { names, asked: { media: 'x'.repeat(525_000) } })).toEqual([
    'the input: the campaign has 1000 jobs, and takes no more',
    expect.stringMatching(/^the input: with it the campaign has \d+ bytes, more than 524288$/),
  ]);
});

test('a thousand jobs with long addresses keep as many as there is room for', () => {
  const links = Array.from({ length: 5 }, (_, n) => `https://example.com/${n}?${'x'.repeat(1_900)}`);
  const jobs: { links: string[] }[] = [];
  for (let n = 0; n < 1_000; n++) jobs.push({ links: fitLinks(jobs, links) });
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

test.each([
  ['plain', 'x'],
  ['of three bytes each', '語'],
  ['of four bytes and two halves each', '😀'],
  ['that JSON writes as six', '\u0001'],
])('the words of an error are counted as they are handed over: %s', (_what, sign) => {
  const cut = truncateError(sign.repeat(500));
  expect(bytesOf(cut)).toBeLessThanOrEqual(253);
  expect(bytesOf(cut)).toBeGreaterThan(240);
  expect(cut.endsWith(`${sign}…`)).toBe(true);
  expect(truncateError(sign)).toBe(sign);
});

test('everything that a campaign may know fits into one hand-over, in any language', () => {
  const long = '語'.repeat(5_000);
  const progress = { remarks: [] as string[], jobs: [] as ReturnType<typeof newJob>[] };
  for (let n = 0; n < 1_000; n++) {
    const job = newJob('n'.repeat(60), 'media', false, new Date().toISOString());
    const workflowId = `media/${'k'.repeat(200)}~${'n'.repeat(54)}`;
    const links = fitLinks(progress.jobs, [`https://example.com/${n}?${long.slice(0, 500)}`]);
    progress.jobs.push({ ...job, workflowId, taskId: 't'.repeat(36), links, error: truncateError(long) });
    addRemark(progress.remarks, `${n} ${long}`);
  }
  // Each with a limit of its own, in bytes: the research, and what people decided.
  const [research, decisions] = ['r'.repeat(200_000), 'd'.repeat(100_000)];
  const spec = 's'.repeat(LARGEST_CAMPAIGN_BYTES);
  expect(bytesOf([spec, { ...progress, research, decisions }])).toBeLessThan(LARGEST);
});

test('what is added is counted in bytes', () => {
  const order = { name: 'more', by: 'u', ...media };
  expect(validateAddedMedia(order, { names: [], asked: { media: '語'.repeat(174_500) } })).toEqual([]);
  expect(validateAddedMedia(order, { names: [], asked: { media: '語'.repeat(175_000) } })).toEqual([
    expect.stringMatching(/more than 524288$/),
  ]);
});
