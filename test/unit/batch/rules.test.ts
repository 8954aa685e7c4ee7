/** What a batch and its partitions refuse, and how slots are allocated, without a server. */
import {
  validateBatchInput,
  validateConcurrencyOrder,
  validatePartitionInput,
} from '../../../src/validation/inputs';
import { endOfBatch } from '../../../src/runs/batch/end';
import { chunksOf, sharesOf } from '../../../src/config';
import { type ItemCounts, type PartitionStanding } from '../../../src/contract';
import { allocateSlots } from '../../../src/workflows/batch/partitions';
import { type Batch, lateOf } from '../../../src/workflows/batch/state';

const item = { key: 'a', tool: 'remove-background', request: { image_url: 'https://example.com/a.png' } };
const partition = { batch: 'nightly', n: 1, first: 1, items: [item] };
const manifest = { digest: 'd', items: 3, partitions: [{ items: 3, firstLine: 1, digest: 'p' }] };

test.each<[string, unknown, unknown[]]>([
  ['the least', partition, []],
  ['a text', 'x', ['the input: must be an object']],
  ['nothing', {}, [/^batch:/, /^n:/, /^first:/, /^items: is required/].map(matching)],
  [
    'bad items',
    { ...partition, items: [item, { ...item, tool: '', taskId: ' a' }, 7] },
    ['items.1.tool: must be a text', matching(/^items\.1\.taskId/), 'items.2: must be an object'],
  ],
])('a partition with %s', (_name, input, problems) => {
  expect(validatePartitionInput(input)).toEqual(problems);
});

test.each<[string, unknown, unknown[]]>([
  ['the least', { key: 'k', manifest }, []],
  ['nulls', { key: 'k', manifest, concurrency: null, scope: null, notify: null }, []],
  ['a bad key', { key: 'a/b', manifest }, [matching(/^key: must be 1 to 200/)]],
  [
    'times that do not fit',
    { key: 'k', manifest, poll: { deadline: '2h', giveUp: '1h' }, submit: { timeout: 5 } },
    ['poll.deadline: is longer than poll.giveUp', matching(/^submit\.timeout: must be a number with a unit/)],
  ],
  [
    'facts that do not fit',
    { key: 'k', manifest: { ...manifest, items: 4 }, concurrency: 0 },
    [
      'manifest.items: must be the number of items in its partitions',
      'concurrency: must be a whole number from 1 to 10000',
    ],
  ],
])('a batch with %s', (_name, input, problems) => {
  expect(validateBatchInput(input)).toEqual(problems);
});

test('an order tells all its problems at once', () => {
  expect(validateConcurrencyOrder({ concurrency: 5, by: 'sam' })).toEqual([]);
  expect(validateConcurrencyOrder({ concurrency: 1.5 })).toEqual([
    'by: is required',
    'concurrency: must be a whole number from 1 to 10000',
  ]);
});

test.each([
  [100, 50, 50],
  [5, 3, 2],
  [1, 1, 1],
])('of %d POSTs in flight, single jobs have %d and batches %d', (maxSubmits, single, batch) => {
  const shares = sharesOf({ maxSubmits, maxSubmitRate: 20 });
  expect(shares).toEqual({
    single: { inFlight: single, perSecond: 10 },
    batch: { inFlight: batch, perSecond: 10 },
  });
});

test.each([
  [1, { items: 1, chunks: 1 }],
  [2, { items: 1, chunks: 2 }],
  [15, { items: 7, chunks: 2 }],
  [50, { items: 25, chunks: 2 }],
  [100, { items: 50, chunks: 2 }],
  [110, { items: 36, chunks: 3 }],
  [5_000, { items: 50, chunks: 100 }],
])('of %d slots for batches, chunks have %o', (inFlight, share) => {
  expect(chunksOf({ inFlight })).toEqual(share);
  expect(share.chunks * share.items).toBeLessThanOrEqual(inFlight);
});

test.each([
  [1, { items: 1, chunks: 1 }],
  [25, { items: 25, chunks: 1 }],
  [60, { items: 25, chunks: 2 }],
  [100, { items: 25, chunks: 4 }],
])('of %d slots and a rate, chunks have %o, and all workers count them alike', (inFlight, share) => {
  expect(chunksOf({ inFlight, perSecond: 10 })).toEqual({ ...share, perSecond: 0.4 });
  expect(share.chunks * share.items).toBeLessThanOrEqual(inFlight);
});

describe('slots', () => {
  interface Given {
    waiting?: number;
    running?: number;
    slots?: number;
    isThere?: boolean;
  }

  /** Places afterwards, and the partitions that are told. */
  function shared(concurrency: number, given: Given[]): { slots: number[]; told: number[] } {
    const partitions = given.map(({ waiting = 0, running = 0, slots = 0, isThere = true }) => {
      const counts: ItemCounts = {
        waiting,
        running,
        succeeded: 0,
        unsaved: 0,
        failed: 0,
        held: 0,
        cancelled: 0,
      };
      return { isThere, counts, slots, trouble: null, isOver: waiting + running === 0 };
    });
    const run = { progress: { partitions, concurrency }, ungranted: new Set<number>() };
    allocateSlots(run as unknown as Batch);
    return { slots: partitions.map(({ slots }) => slots), told: [...run.ungranted] };
  }

  test('go to the first partitions first, as many as they need', () => {
    expect(shared(30, [{ waiting: 20 }, { waiting: 20 }, { waiting: 20 }])).toEqual({
      ...{ slots: [20, 10, 0], told: [1, 2] },
    });
  });

  test('are not taken from one that can use them for one that came later', () => {
    expect(shared(30, [{ waiting: 20 }, { waiting: 5, running: 25, slots: 30 }])).toEqual({
      ...{ slots: [0, 30], told: [] },
    });
  });

  test('that one cannot use any more go to the next, without a word to the first', () => {
    expect(shared(30, [{ running: 12, slots: 30 }, { waiting: 20 }])).toEqual({
      ...{ slots: [12, 18], told: [2] },
    });
  });

  test('are taken from the last when there are fewer, and given again only when those are back', () => {
    const given = [
      { waiting: 9, running: 10, slots: 10 },
      { waiting: 9, running: 10, slots: 10 },
    ];
    expect(shared(12, given)).toEqual({ slots: [10, 2], told: [2] });
    expect(
      shared(12, [{ running: 4, slots: 10 }, { waiting: 9, running: 10, slots: 2 }, { waiting: 5 }]),
    ).toEqual({
      ...{ slots: [4, 2, 0], told: [] },
    });
  });

  test('for what is at the service already cost nothing: tasks that were given, and those of before there were fewer', () => {
    expect(shared(200, [{ running: 100, waiting: 400 }])).toEqual({ slots: [200], told: [1] });
    expect(shared(200, [{ running: 100, waiting: 400 }, { waiting: 500 }])).toEqual({
      ...{ slots: [200, 0], told: [1] },
    });
    expect(
      shared(200, [
        { running: 90, waiting: 5 },
        { running: 90, waiting: 9, slots: 2 },
      ]),
    ).toEqual({
      ...{ slots: [95, 99], told: [1, 2] },
    });
    // As many as may be, or more: nobody has to be told anything.
    expect(
      shared(200, [
        { running: 150, waiting: 350 },
        { running: 50, waiting: 9 },
      ]),
    ).toEqual({
      ...{ slots: [0, 0], told: [] },
    });
  });

  test('one that is not handed over has none', () => {
    expect(shared(5, [{ waiting: 9, isThere: false }, { waiting: 9 }])).toEqual({
      slots: [0, 5],
      told: [2],
    });
  });
});

describe('the end of a batch', () => {
  const counts: ItemCounts = {
    waiting: 0,
    running: 0,
    succeeded: 5,
    unsaved: 0,
    failed: 0,
    held: 0,
    cancelled: 0,
  };
  const status = 'completed' as const;
  const whole = { stopped: null, incomplete: null };
  const stopped = { unfollowed: 2, undone: 3, reason: 'partition 2 was terminated: by mistake' };
  const unfollowed = `2 items at the service, not polled: ${stopped.reason}`;

  test.each([
    ['all succeeded', { status, counts }, 'succeeded', null],
    [
      'a project did not take results',
      { status: 'unsaved' as const, counts: { ...counts, unsaved: 2 } },
      ...(['unsaved', '2 items unsaved'] as const),
    ],
    [
      'some failed beside that',
      { status: 'unsaved' as const, counts: { ...counts, unsaved: 2, failed: 1 } },
      ...(['failed', '2 items unsaved; 1 item failed'] as const),
    ],
    [
      'some wait for a person beside that',
      { status: 'attention' as const, counts: { ...counts, unsaved: 2, held: 1 } },
      ...(['held', '1 item held (see segue held); 2 items unsaved'] as const),
    ],
    [
      'a partition was stopped',
      { status, counts: { ...counts, cancelled: 3 }, stopped: { ...stopped, unfollowed: 0 } },
      ...(['failed', `3 items not done: ${stopped.reason}`] as const),
    ],
    [
      'a partition was stopped that may have had something to write',
      { status, counts, stopped: { ...stopped, unfollowed: 0, undone: 0 } },
      'failed',
      `a part of it was stopped before everything was written and notified: ${stopped.reason}`,
    ],
    [
      'a partition was stopped that had tasks, and others did not come',
      { status, counts: { ...counts, held: 3, cancelled: 7 }, stopped, incomplete: 'it is gone' },
      'held',
      `1 item held (see segue held); ${unfollowed}; 3 items not done: ${stopped.reason}; 4 items not handed over: it is gone`,
    ],
  ])('where %s', (_name, result, word, error) => {
    expect(endOfBatch({ ...whole, ...result })).toEqual({ status: word, error });
  });
});

describe('slow tasks', () => {
  const slow = '9 tasks of partition 1 are not over after 1h';

  function told(...given: { late?: string | null; slots?: number; running?: number }[]): string | null {
    const partitions = given.map(({ late = null, slots = 0, running = 0 }) => ({
      ...{ late, slots, isOver: false, counts: { running } },
    }));
    return lateOf(partitions as unknown as PartitionStanding[]);
  }

  test.each([
    ['take all slots that their partition has', slow, [{ late: slow, slots: 9, running: 9 }]],
    ['are more than all slots', slow, [{ late: slow, running: 9 }, {}]],
    [
      'of several partitions are more than all slots',
      slow,
      [
        { late: slow, running: 9 },
        { late: 'others', running: 9 },
      ],
    ],
    ['wait with others for slots that are in use', null, [{ late: slow, running: 9 }, { slots: 5 }]],
    ['may see others of the manifest come to their end', null, [{ late: slow, running: 9 }, { running: 1 }]],
    [
      'are not hidden by a partition that never told of any',
      slow,
      [
        { late: undefined, slots: 5 },
        { late: slow, slots: 9 },
      ],
    ],
  ])('that %s', (_name, words, partitions) => {
    expect(told(...partitions)).toBe(words);
  });
});

function matching(form: RegExp): unknown {
  return expect.stringMatching(form);
}
