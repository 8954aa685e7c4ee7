/** When a campaign looks at jobs that tell nothing new, and what it knows of those that told their end. */
import { type CampaignProgress } from '../../../src/contract';

import {
  forgetEnding,
  resumeChecks,
  recheckSoon,
  check,
  checkOpen,
  nextCheck,
} from '../../../src/workflows/campaign/supervise';
import {
  type Campaign,
  endingJobs,
  lastCheck,
  newJob,
  setStatus,
} from '../../../src/workflows/campaign/state';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-03-04T10:00:00Z');

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

type Supervised = Parameters<typeof check>[0];

/** A run that looked at all of these jobs just now; none of them is its own. */
function running(
  ...names: string[]
): Supervised & { job: (name: string) => Campaign['progress']['jobs'][0] } {
  const jobs = names.map((name) => {
    const job = newJob(name, 'media', false, '2026-03-04T09:00:00Z');
    setStatus(job, 'running');
    return job;
  });
  const run = {
    progress: { jobs } as unknown as CampaignProgress,
    ended: new Map(),
    children: new Set<string>(),
    checks: { lastAt: Date.now(), againAt: 0 },
  };
  return { ...run, job: (name) => jobs.find((one) => one.name === name) ?? newJob(name, 'media', false, '') };
}

function later(ms: number): void {
  jest.setSystemTime(Date.now() + ms);
}

test('jobs of others are looked at once an hour, those of its own never', () => {
  const run = running('theirs', 'over');
  setStatus(run.job('over'), 'succeeded');
  expect(nextCheck(run)).toBe(NOW + HOUR_MS);
  later(HOUR_MS);
  check(run);
  expect([...run.ended]).toEqual([['theirs', 'may have']]);
  expect(nextCheck(run)).toBe(NOW + 2 * HOUR_MS);
  run.children.add('theirs');
  expect(nextCheck(run)).toBeUndefined();
});

test('one that said that it ends, and has not, is looked at after a minute, alone, whatever others tell', () => {
  const run = running('slow', 'quick', 'silent');
  recheckSoon(run, run.job('slow'));
  later(MINUTE_MS / 2);
  // Its end is told, and read at once.
  run.ended.set('quick', 'ends');
  forgetEnding(run, run.job('quick'));
  setStatus(run.job('quick'), 'succeeded');
  expect(nextCheck(run)).toBe(NOW + MINUTE_MS);
  later(MINUTE_MS / 2);
  check(run);
  expect([...run.ended]).toEqual([['slow', 'ends']]);
  expect(nextCheck(run)).toBe(NOW + HOUR_MS);
});

test('one that lingers for long stands in the list once, and not any more when its end was read', () => {
  const run = running('slow', 'other');
  for (let times = 0; times < 3; times += 1) recheckSoon(run, run.job('slow'));
  recheckSoon(run, run.job('other'));
  expect(run.progress.ending).toEqual(['slow', 'other']);
  forgetEnding(run, run.job('slow'));
  setStatus(run.job('slow'), 'succeeded');
  expect(endingJobs(run)).toEqual(['other']);
  // Made again, it is a new run of which nothing is known.
  setStatus(run.job('slow'), 'running');
  checkOpen(run);
  expect(Object.fromEntries(run.ended)).toEqual({ slow: 'may have', other: 'ends' });
});

test('the end that a job told, and nobody has read yet, is known to the next run, too', () => {
  const before = running('told', 'told-now', 'lingering', 'running', 'over');
  setStatus(before.job('over'), 'succeeded');
  recheckSoon(before, before.job('lingering'));
  before.ended.set('told', 'ends').set('running', 'may have');
  const progress = { ...before.progress, ending: endingJobs(before) };
  // A signal may be there before the run looks at anything.
  const run = { ...before, progress, ended: new Map([['told-now', 'ends'] as const]) as Campaign['ended'] };
  checkOpen(run);
  expect(Object.fromEntries(run.ended)).toEqual({
    ...{ told: 'ends', 'told-now': 'ends', lingering: 'ends' },
    running: 'may have',
  });
  expect(progress.ending).toBeUndefined();
});

describe('a run that continues another', () => {
  const continued = (before: Supervised): Supervised => {
    const lookedAt = lastCheck(before);
    const progress = { ...before.progress, ending: endingJobs(before), lookedAt };
    const lastAt = lookedAt === undefined ? Date.now() : Date.parse(lookedAt);
    const run = { ...before, progress, ended: new Map(), checks: { lastAt, againAt: 0 } };
    resumeChecks(run);
    return run;
  };

  test('looks at nothing but what told its end, until the hour since the last look is over', () => {
    const before = running('told', 'silent');
    before.ended.set('told', 'ends');
    later(HOUR_MS / 2);
    const run = continued(before);
    expect([...run.ended]).toEqual([['told', 'ends']]);
    expect(nextCheck(run)).toBe(NOW + HOUR_MS);
  });

  test('looks at all where that was due, and was not done', () => {
    const before = running('one', 'other');
    later(HOUR_MS);
    check(before);
    const run = continued(before);
    expect(Object.fromEntries(run.ended)).toEqual({ one: 'may have', other: 'may have' });
    expect(nextCheck(run)).toBe(NOW + 2 * HOUR_MS);
  });
});
