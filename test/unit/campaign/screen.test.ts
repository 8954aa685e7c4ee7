import { fitted } from '../../../src/cli/lib/screen';
import { newsLines, statusLines } from '../../../src/cli/campaign/format';
import { type CampaignStatus } from '../../../src/contract';

const now = new Date().toISOString();

type Job = CampaignStatus['jobs'][number];

function job(name: string, changes: Partial<Job> = {}): Job {
  return {
    ...{
      name,
      kind: 'media',
      workflowId: null,
      status: 'waiting',
      since: now,
      optional: false,
      needs: [],
      taskId: null,
    },
    ...{ repeats: 0, error: null, links: [] },
    ...changes,
  };
}

function status(changes: Partial<CampaignStatus> = {}): CampaignStatus {
  return {
    ...{
      key: 'spring',
      stage: 'producing',
      since: now,
      history: [],
      percent: 50,
      waitsFor: null,
      paused: null,
      held: false,
    },
    ...{ approval: null, decisions: [], timezone: 'UTC', remarks: [], unsaved: null },
    jobs: [job('cutout', { status: 'succeeded', links: ['http://x/1.png'] }), job('banner')],
    ...changes,
  };
}

test('a campaign that runs is shown with its jobs, people and remarks', () => {
  const lines = statusLines(
    status({
      waitsFor: { what: 'banner', since: now },
      paused: { by: 'u-2', reason: 'holiday', since: now },
      remarks: ['no timezone: UTC'],
    }),
  );
  expect(lines).toEqual([
    expect.stringMatching(/^spring: producing for \S+, 1 of 2 jobs over \(50 %\), paused$/),
    expect.stringMatching(/^waits for banner/),
    expect.stringMatching(/^paused by u-2 for .*: holiday$/),
    expect.stringMatching(/^JOB +KIND +STATUS/),
    expect.stringMatching(/^cutout +media +succeeded +http:\/\/x\/1.png$/),
    'banner  media  waiting',
    'remark: no timezone: UTC',
  ]);
});

test('a job is shown below the last job that it needs', () => {
  const jobs = [
    job('poster', { needs: ['cutout', 'banner'] }),
    job('banner', { needs: ['cutout'] }),
    job('cutout'),
    job('intro', { kind: 'transcript' }),
  ];
  const rows = statusLines(status({ jobs })).slice(2);
  expect(rows.map((row) => row.replace(/  .*/, ''))).toEqual(['cutout', '└─ banner', '', 'intro']);
  expect(rows[2]).toMatch(/^   └─ poster +media +waiting +\(needs cutout, banner\)$/);
});

test('those who read along are told what has changed, and nothing twice', () => {
  const before = status();
  const after = status({
    jobs: [before.jobs[0] ?? job('cutout'), job('banner', { status: 'running', taskId: 't-1' })],
  });
  expect(newsLines(undefined, before)).toEqual([
    expect.stringMatching(/^spring: producing/),
    'spring: cutout succeeded',
  ]);
  expect(newsLines(before, after)).toEqual(['spring: banner running (task t-1)']);
  expect(newsLines(after, after)).toEqual([]);
});

test('a line that is too long for the terminal is wrapped where there is room', () => {
  const shown = fitted(['nightly: running, 100 of 1000 items over', ''], { columns: 25, rows: 24 });
  expect(shown).toEqual(['nightly: running, 100 of', '1000 items over', '']);
});

test('what is drawn fits the terminal, or it could not be drawn over', () => {
  const lines = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(200, 'x'));
  const shown = fitted(lines, { columns: 80, rows: 24 });
  expect(shown).toHaveLength(22);
  expect(shown.at(-1)).toBe('… 79 more lines');
  expect(shown.every((line) => line.length < 80)).toBe(true);
});

test('a terminal that reports a size of 0 is taken for one of 80 columns and 24 lines', () => {
  const lines = ['nightly: running', 'x'.repeat(100)];
  const usual = fitted(lines, { columns: 80, rows: 24 });
  expect(fitted(lines, { columns: 0, rows: 0 })).toEqual(usual);
  expect(fitted(['xy'], { columns: 1, rows: 24 })).toEqual(['x', 'y']);
});
