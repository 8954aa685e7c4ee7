/** What `run` and `follow` show of a batch. */
import { PassThrough } from 'node:stream';
import { type WriteStream } from 'node:tty';
import { batchShown, missingLines, resultLines, statusLines } from '../../../src/cli/batch/format';
import { adviceOnBatch } from '../../../src/cli/lib/advice';
import { watcher } from '../../../src/cli/lib/screen';
import { type BatchStatus, type ItemCounts } from '../../../src/contract';

const STARTED = Date.parse('2026-01-01T00:00:00Z');
const NOTHING: ItemCounts = {
  waiting: 0,
  running: 0,
  succeeded: 0,
  unsaved: 0,
  failed: 0,
  held: 0,
  cancelled: 0,
};

function status(succeeded: number, changes: Partial<BatchStatus> = {}): BatchStatus {
  const startedAt = new Date(STARTED).toISOString();
  const counts = { ...NOTHING, succeeded, failed: 2, held: 1, running: 20, waiting: 977 - succeeded };
  return {
    ...{ key: 'nightly', stage: 'running', since: startedAt, startedAt, items: 1_000, counts },
    ...{ percent: Math.floor((succeeded + 3) / 10), partitions: { total: 2, handedOver: 2, over: 0 } },
    ...{
      concurrency: 20,
      paused: null,
      trouble: null,
      late: null,
      digest: 'd',
      incomplete: null,
      stopped: null,
    },
    ...changes,
  };
}

/** A clock that is set by hand. */
function clock(): { now: number; read: () => number } {
  const one = { now: STARTED, read: () => one.now };
  return one;
}

test('a terminal shows a bar with rate, time left and what became of items, drawn over itself', () => {
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 120, rows: 24 });
  const time = clock();
  const draw = watcher(batchShown(time.read), screen as unknown as WriteStream);
  time.now += 10_000;
  draw(status(97));
  time.now += 10_000;
  draw(status(297, { trouble: 'status 503' }));
  time.now += 1_000;
  draw(status(297));
  const [first = '', second = '', third = ''] = String(screen.read()).split('\u001b[0J').slice(1);
  expect(first.split('\n')).toEqual([
    `[###${'.'.repeat(27)}]`,
    'nightly: running, 100 of 1000 items over (10 %), 10.0/s, 1m 30s left, 2 failed, 1 held',
    '20 running (limit 20), 880 waiting',
    // Back to the top of what was drawn.
    '\u001b[3A',
  ]);
  expect(second).toContain(`[#########${'.'.repeat(21)}]\nnightly: running, 300 of 1000 items over (30 %)`);
  expect(second).toContain('the service is in trouble: status 503\n\u001b[4A');
  expect(third).not.toContain('trouble');
  draw.clear?.();
  // Nothing older than the result stays on the screen.
  expect(String(screen.read())).toBe('\u001b[3A\u001b[0J');
});

test('in its first minute a batch that does not know its partitions yet is not in trouble', () => {
  const time = clock();
  const { lines } = batchShown(time.read);
  const waiting = status(0, { partitions: { total: 1, handedOver: 0, over: 0 } });
  time.now += 30_000;
  expect(lines(waiting)).toHaveLength(3);
  time.now += 60_000;
  expect(lines(waiting).at(-1)).toMatch(/^0 of 1 partition handed over; the same `start`, /);
});

test('status tells which manifest it is of, and what of it is not run, or not there yet', () => {
  const partitions = { total: 3, handedOver: 2, over: 1 };
  const lines = (changes: Partial<BatchStatus>) => statusLines(status(97, { partitions, ...changes }));
  expect(lines({ incomplete: 'its address gave another one' }).slice(2)).toEqual([
    'a part of the manifest is not run: its address gave another one; what was handed over continues',
    'manifest d, started 2026-01-01T00:00:00.000Z',
  ]);
  expect(lines({})[2]).toMatch(/^2 of 3 partitions handed over; the same `start`, /);
  // Whoever cancels it does not want the rest.
  expect(lines({ stage: 'cancelling' })).toHaveLength(3);
});

test('results that are missing are counted in one line', () => {
  const part = (n: number) => ({ n, first: 500 * n - 499, items: 500 });
  expect(missingLines([part(2), part(4)])).toEqual([
    expect.stringMatching(/^Missing here: 1000 items, from item 501 on: .* not handed over yet, or Temporal/),
  ]);
  expect(missingLines([])).toEqual([]);
});

test('slow tasks are told at once, as what they are, with the order that lets others begin', () => {
  const late = '9 tasks of partition 1 are not over after 1h, and others wait for their slots';
  const [, ...lines] = batchShown().news(status(7), status(7, { late }));
  expect(lines).toEqual([
    `${late}; to let others start beside them: segue batch concurrency nightly --to N --by NAME`,
  ]);
});

test('items whose partition was stopped are no runs of their own, and are told with what can be done', () => {
  const stopped = { unfollowed: 2, undone: 3, reason: 'partition 2 was terminated: by mistake' };
  const ended = { key: 'nightly', stopped, incomplete: null };
  const advice = adviceOnBatch({ ...ended, counts: { ...NOTHING, held: 2, cancelled: 3 } });
  expect(advice).toEqual([
    expect.stringMatching(
      /^At the service, .* 2\. Their tasks: segue batch results nightly --status running/,
    ),
    expect.stringMatching(/^Not done: 3, .* segue batch retry nightly does those that are cancelled;/),
  ]);
  const [, ...lines] = batchShown().news(status(7), status(7, { stopped }));
  expect(lines).toEqual([`a part of it was stopped: ${stopped.reason}`, ...advice]);
  const held = adviceOnBatch({ ...ended, counts: { ...NOTHING, held: 3 } });
  expect(held).toContain('Held until a person decides. What to do: segue held');
});

test('the end tells which manifest it was of', () => {
  const counts = { ...NOTHING, succeeded: 3, failed: 1 };
  const [startedAt, finishedAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];
  const result = {
    ...{ key: 'nightly', status: 'completed' as const, items: 4, counts, startedAt, finishedAt },
    ...{ digest: 'd', notified: null, incomplete: null, stopped: null },
  };
  const words = `started ${startedAt}, finished ${finishedAt} (1m later)`;
  expect(resultLines(result)).toEqual(['3 succeeded, 1 failed', `manifest d, ${words}`]);
});

test('who reads along gets a line now and then, and at once when something happens', () => {
  const time = clock();
  const { news } = batchShown(time.read);
  const tell = (before: BatchStatus | undefined, now: BatchStatus): string[] => {
    time.now += 1_000;
    return news(before, now);
  };
  let before = status(7);
  expect(tell(undefined, before)).toEqual([
    'nightly: running, 10 of 1000 items over (1 %), 10.0/s, 1m 39s left, 2 failed, 1 held',
  ]);
  const told = Array.from({ length: 20 }, (_unused, second) => {
    const now = status(17 + 10 * second);
    const lines = tell(before, now);
    before = now;
    return lines;
  }).flat();
  expect(told).toHaveLength(2);
  const paused = { by: 'u-1', reason: 'lunch', since: '' };
  expect(tell(before, status(207, { stage: 'paused', paused }))).toEqual([
    expect.stringMatching(/^nightly: paused, 210 of 1000 .*\/s, 2 failed, 1 held$/),
    'paused by u-1: lunch',
  ]);
});

test('retry is advised for cancelled items, and not for those that were not handed over', () => {
  const ended = { key: 'nightly', counts: { ...NOTHING, cancelled: 3 }, stopped: null };
  const advice = expect.stringContaining('segue batch retry nightly') as unknown;
  expect(adviceOnBatch({ ...ended, incomplete: null })).toEqual([advice]);
  expect(adviceOnBatch({ ...ended, incomplete: 'it was cancelled' })).toEqual([
    expect.stringContaining('under another key'),
  ]);
});
