/** What a batch hands over to its next run, without a server. */
import { type BatchProgress, MOST_PARTITIONS, type PartitionStanding } from '../../../src/contract';
import { truncateBytes } from '../../../src/api/json';
import { carriedOf, restoreStanding } from '../../../src/workflows/batch/state';

const COUNTS = { waiting: 0, running: 0, succeeded: 0, unsaved: 0, failed: 0, held: 0, cancelled: 0 };
const OPEN: PartitionStanding = {
  counts: { ...COUNTS, waiting: 387, running: 113 },
  ...{ isThere: true, slots: 113, trouble: null, late: null, isOver: false },
};
/** Those of the service, at their longest. */
const WORDS = 'é"\u0001'.repeat(200);

function bytesOf(partitions: PartitionStanding[]): number {
  const facts = { items: 500, firstLine: 1_999_501, digest: 'd'.repeat(32) };
  const carried = carriedOf({ partitions } as BatchProgress);
  return Buffer.byteLength(JSON.stringify({ partitions: partitions.map(() => facts), carried }));
}

test.each<[string, PartitionStanding]>([
  ['cannot get on', { ...OPEN, trouble: WORDS, late: WORDS }],
  [
    'were stopped',
    {
      ...OPEN,
      ...{ isOver: true, slots: 0, trouble: WORDS, late: WORDS },
      counts: { ...COUNTS, succeeded: 100, unsaved: 0, failed: 100, held: 150, cancelled: 150 },
      stopped: { unfollowed: 150, undone: 150, reason: WORDS },
    },
  ],
])('as many partitions as a batch may have fit into one payload where all %s', (_name, standing) => {
  const bytes = bytesOf(Array.from({ length: MOST_PARTITIONS }, () => standing));
  process.stderr.write(`batch of ${MOST_PARTITIONS} partitions: ${bytes} bytes handed over\n`);
  expect(bytes).toBeLessThan(1_600_000);
});

test.each<[string, PartitionStanding]>([
  ['one that is absent', { ...OPEN, isThere: false, slots: 0 }],
  ['one that cannot get on', { ...OPEN, trouble: 'no', late: 'slow' }],
  ['one that was stopped', { ...OPEN, isOver: true, stopped: { unfollowed: 1, undone: 0, reason: 'gone' } }],
])('%s is known to the next run as it was', (_name, standing) => {
  const { partitions } = carriedOf({ partitions: [standing] } as BatchProgress);
  expect(partitions.map(restoreStanding)).toEqual([standing]);
});

test('words are cut between characters, and only where they are too long', () => {
  expect(truncateBytes('x'.repeat(100), 100)).toBe('x'.repeat(100));
  expect(truncateBytes('x'.repeat(101), 100)).toBe(`${'x'.repeat(97)}…`);
  expect(truncateBytes('😀'.repeat(30), 100)).toBe(`${'😀'.repeat(24)}…`);
});
