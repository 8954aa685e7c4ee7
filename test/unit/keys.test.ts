import { digest } from '../../src/platform/digest';
import {
  againKey,
  isGivenKey,
  mediaKeyOf,
  mediaWorkflowId,
  projectWriterId,
  shardOf,
  submitRequestId,
} from '../../src/contract/ids';
import { successorKey } from '../../src/client/jobs/leftovers';

describe('keys and ids', () => {
  test.each(['a', 'spring-launch', 'A.b_c-9', 'x'.repeat(120)])('%s may be chosen as a key', (key) => {
    expect(isGivenKey(key)).toBe(true);
  });

  test.each(['', 'a b', 'a/b', 'a~b', 'a+2', 'ü', 'x'.repeat(121), 'a\n'])('%j may not', (key) => {
    expect(isGivenKey(key)).toBe(false);
  });

  test('a key gives one workflow id, and each POST a request id of its own', () => {
    expect(mediaWorkflowId('k')).toBe('media/k');
    expect(submitRequestId('k', 2)).toBe('k.submit.2');
  });

  test.each([
    ['k', 'k+2'],
    ['k+2', 'k+3'],
    ['k+9', 'k+10'],
    ['spring~banner', 'spring~banner+2'],
  ])('%s is run again as %s, whoever asks', (key, again) => {
    expect(againKey(key)).toBe(again);
    expect(isGivenKey(again)).toBe(false);
  });

  test.each([
    ['media/k', 'k'],
    ['k+2', 'k+2'],
    ['project/1~campaign~7', undefined],
    ['media/', undefined],
    ['', undefined],
  ])('%j means the job %s', (text, key) => {
    expect(mediaKeyOf(text)).toBe(key);
  });

  test('what was stopped goes on with a key of its own', () => {
    const keys = ['a-b', 'a~b', 'a+b', 'x'.repeat(120), `${'x'.repeat(119)}y`];
    expect(new Set(keys.map(successorKey)).size).toBe(keys.length);
    expect(successorKey('a-b')).toBe('a-b-next');
  });

  test.each(['k', 'spring~banner+2', 'x'.repeat(120)])(
    'what was stopped as %s goes on with a key one may give',
    (key) => {
      expect(isGivenKey(successorKey(key))).toBe(true);
    },
  );

  // They never change: a project whose shard changed would have two writers.
  test.each([
    ['campaign', '7', 25],
    ['c/d', 'e f%', 12],
    ['document', 'ü~', 1],
    ['campaign', '9b2e7c9e-6f0a-4d0c-8a53-0d9f0b6a1c11', 5],
  ])('type %s and id %s belong to shard %d', (resourcetype, id, shard) => {
    expect(shardOf({ resourcetype, id })).toBe(shard);
  });

  test('a workspace and a shard give one writer, and a hundred projects many', () => {
    expect(projectWriterId('a~b', 31)).toBe('project-writer/a%7Eb~31');
    const shards = Array.from({ length: 100 }, (_, n) => shardOf({ resourcetype: 'campaign', id: `p-${n}` }));
    expect(new Set(shards).size).toBeGreaterThan(20);
    expect(Math.max(...shards)).toBeLessThan(32);
  });

  test('a digest does not depend on the order of members, nor on absent ones', () => {
    expect(digest({ a: 1, b: { c: [1, 2], d: undefined } })).toBe(digest({ b: { c: [1, 2] }, a: 1 }));
    expect(digest({ a: [1, 2] })).not.toBe(digest({ a: [2, 1] }));
    expect(digest({ a: '1' })).not.toBe(digest({ a: 1 }));
  });
});
