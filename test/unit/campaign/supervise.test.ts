/** When a campaign checks jobs that report nothing, and what it knows of those that reported their end. */
import { type CampaignProgress } from '../../../src/contract';
import {
  addEnding,
  check,
  checkSoon,
  forgetEnding,
  nextCheck,
} from '../../../src/workflows/campaign/supervise';
import { newJob, setStatus } from '../../../src/workflows/campaign/state';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-03-04T10:00:00Z');

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

/** A run that checked all of these jobs just now; it started none of them. */
function running(...names: string[]) {
  const jobs = names.map((name) => newJob(name, 'media', false, '2026-03-04T09:00:00Z'));
  for (const job of jobs) setStatus(job, 'running');
  const progress = { jobs, ending: [] as string[], nextCheckAt: new Date(NOW + HOUR_MS).toISOString() };
  return {
    progress: progress as unknown as CampaignProgress,
    due: new Set<string>(),
    children: new Set<string>(),
    job: (name: string) => jobs.find((one) => one.name === name) ?? newJob(name, 'media', false, ''),
  };
}

function later(ms: number): void {
  jest.setSystemTime(Date.now() + ms);
}

test('jobs of others are checked once an hour, those of its own never', () => {
  const run = running('theirs', 'over');
  setStatus(run.job('over'), 'succeeded');
  expect(nextCheck(run)).toBe(NOW + HOUR_MS);
  later(HOUR_MS);
  check(run);
  expect([...run.due]).toEqual(['theirs']);
  expect(nextCheck(run)).toBe(NOW + 2 * HOUR_MS);
  run.children.add('theirs');
  expect(nextCheck(run)).toBeUndefined();
});

test('where one that reported its end was still open, all are checked in a minute', () => {
  const run = running('slow', 'silent');
  checkSoon(run);
  expect(nextCheck(run)).toBe(NOW + MINUTE_MS);
  later(MINUTE_MS);
  check(run);
  expect([...run.due]).toEqual(['slow', 'silent']);
  expect(nextCheck(run)).toBe(NOW + MINUTE_MS + HOUR_MS);
});

test('one that reports its end again and again stands in the list once, until its end was read', () => {
  const run = running('slow', 'other');
  for (let times = 0; times < 3; times += 1) addEnding(run, 'slow');
  addEnding(run, 'other');
  expect(run.progress.ending).toEqual(['slow', 'other']);
  forgetEnding(run, run.job('slow'));
  expect(run.progress.ending).toEqual(['other']);
  expect([...run.due]).toEqual(['other']);
});
