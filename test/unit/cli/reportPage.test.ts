/** The page of a report, from the object to the HTML. */
import { page } from '../../../src/cli/report/page';
import { type RunReport, type TimelineRow } from '../../../src/cli/report/read';
import { emptyReport, HOSTILE, hostileReport } from '../../support/builders/report';

const T = Date.parse('2026-01-02T03:04:05Z');

function rowOf(more: Partial<TimelineRow> = {}): TimelineRow {
  const row = { label: 'media/k', status: 'running', from: T, to: null };
  return { ...row, stages: [], work: [], polls: [], marks: [], ...more };
}

function count(html: string, pattern: RegExp): number {
  return [...html.matchAll(pattern)].length;
}

test('a report without anything is a page without empty sections', () => {
  const html = page(emptyReport());
  expect(html).toMatch(/^<!doctype html>/);
  expect(html).toContain('<title>media/k: running</title>');
  for (const id of ['pictures', 'changes', 'notifications', 'events', 'batch', 'notes'])
    expect(html).not.toContain(`<section id="${id}"`);
  expect(html).not.toMatch(/undefined|null|NaN|Infinity/);
});

test('the page is dark and light, and neither runs scripts nor requests anything', () => {
  const html = page(hostileReport());
  expect(html).toContain('color-scheme: light dark');
  expect(html).toContain('@media (prefers-color-scheme: dark)');
  expect(html).toContain(`content="default-src 'none'; img-src data:;`);
  expect(html).not.toMatch(/<script|<link|<iframe|@import|url\(|src="(?!data:)/i);
});

test('every text is escaped, wherever it stands', () => {
  const html = page(hostileReport());
  expect(html).toContain('&lt;script&gt;');
  expect(html).not.toContain('<script>');
  expect(html).not.toContain('<img src=x');
  // No text ends an attribute: what follows its quote is in no tag.
  expect(html).not.toContain(HOSTILE);
  expect(count(html, /class="[^"]*(&|alert)/g)).toBe(0);
});

test('only http and https addresses are links', () => {
  const picture = { of: 'k', when: 'after', source: null, note: 'left out: status 404' } as const;
  const urls = [
    'javascript:alert(1)',
    'https://a.example/x.png',
    'HTTP://a.example/y',
    'https://a.example/z?…',
    'data:…',
  ];
  const html = page({ ...emptyReport(), pictures: urls.map((url) => ({ ...picture, url })) });
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    'https://a.example/x.png',
    'HTTP://a.example/y',
  ]);
  expect(html).toContain('javascript:alert(1)');
  expect(html).toContain('left out: status 404');
});

test('a picture is shown only from a data URL', () => {
  const of = { of: 'k', when: 'after', url: 'https://a.example/x.png', note: null } as const;
  const sources = ['data:image/png;base64,AAAA', 'https://a.example/x.png', 'data:text/html;base64,AAAA'];
  const html = page({ ...emptyReport(), pictures: sources.map((source) => ({ ...of, source })) });
  expect([...html.matchAll(/<img src="([^"]*)"/g)].map(([, source]) => source)).toEqual([sources[0]]);
});

test('stages are bars from their start to the next one, and lie within the timeline', () => {
  const stages = [
    { label: 'submitting', from: T, to: T + 1_000 },
    { label: 'held', from: T + 1_000, to: T + 4_000 },
  ];
  const marks = [
    { at: T + 1_000, kind: 'hold' as const, label: 'held: nobody knows' },
    { at: T + 4_000, kind: 'decision' as const, label: 'resolve abandon by sam' },
  ];
  const timeline = [rowOf({ to: T + 4_000, stages, marks, polls: [T + 2_000] })];
  const html = page({ ...emptyReport(), startedAt: T, endedAt: T + 4_000, timeline });
  expect(html).toContain('class="stage run" style="left:0.000%;width:25.000%"');
  expect(html).toContain('class="stage hold" style="left:25.000%;width:75.000%"');
  expect(html).toContain('class="poll" style="left:50.000%"');
  expect(html).toContain('class="mark decision" style="left:100.000%"');
  expect(html).toContain('<td>held: nobody knows</td>');
  expect(html).not.toContain('<td>held</td>');
});

test('a week of polls is a few hundred ticks', () => {
  const polls = Array.from({ length: 5_000 }, (_unused, index) => T + index * 1_000);
  const html = page({ ...emptyReport(), timeline: [rowOf({ polls })] });
  expect(html).toContain('5000 polls');
  expect(count(html, /class="poll"/g)).toBeLessThanOrEqual(400);
});

test('a week of calls and stages is a few hundred bars', () => {
  const stages = Array.from({ length: 5_000 }, (_unused, index) => {
    return { label: 'polling', from: T + index, to: T + index + 1 };
  });
  const work = stages.map((one) => ({ ...one, error: null }));
  const html = page({ ...emptyReport(), timeline: [rowOf({ stages, work })] });
  expect(count(html, /class="(stage|work)/g)).toBeLessThanOrEqual(800);
});

test('a batch has counts, throughput and latency', () => {
  const counts = { waiting: 0, running: 0, succeeded: 90, unsaved: 0, failed: 10, held: 0, cancelled: 0 };
  const ends = Array.from({ length: 100 }, (_unused, index) => T + index * 100);
  const latencies = ends.map((_end, index) => index * 10);
  const batch: RunReport['batch'] = { items: 100, counts, ends, latencies, share: 1 };
  const html = page({ ...emptyReport(), workflowId: 'batch/b', startedAt: T, endedAt: T + 10_000, batch });
  expect(html).toContain('<h2>100 items</h2>');
  expect(html).toContain('<dt>succeeded</dt><dd>90</dd>');
  expect(html).not.toContain('<dt>held</dt>');
  expect(html).toContain('10.00 a second');
  const columns = [...html.matchAll(/<title>[^<]*: (\d+)<\/title><\/rect>/g)].map(([, items]) =>
    Number(items),
  );
  expect(columns).toHaveLength(48);
  expect(columns.reduce((a, b) => a + b)).toBe(200);
});

test('the throughput of a batch of which a part was read is that of all of it', () => {
  const batch = { items: 400, counts: null, ends: Array<number>(100).fill(T), latencies: [], share: 0.25 };
  const html = page({ ...emptyReport(), workflowId: 'batch/b', startedAt: T, endedAt: T + 10_000, batch });
  expect(html).toContain('40.00 a second (a sample)');
});
