/** P5: which statuses are the end, and that every other one is not. */
import { endOf, isTaskOver, type PolledKind, type RecordStatus } from '../../../src/api/endings';

test.each([
  ['SUCCESS', true],
  ['FAILURE', true],
  ...['PENDING', 'STARTED', 'RETRY', 'REVOKED', 'DONE', 'success', 'MADE_UP', ''].map(
    (status): [string, boolean] => [status, false],
  ),
])('P5: a task that is %s is over: %s', (status, isOver) => {
  expect(isTaskOver(status)).toBe(isOver);
});

describe.each<[PolledKind, RecordStatus[], RecordStatus[], RecordStatus[]]>([
  ['transcription', ['DONE'], ['FAILED'], ['PENDING', 'ALIGNING', 'SUCCESS', 'COMPLETED', 'done', 'MADE_UP']],
  ['video', ['DONE'], ['FAILED'], ['QUEUED', 'RENDERING', 'SUCCESS', 'COMPLETED', 'MADE_UP']],
  ['run', ['COMPLETED'], ['FAILED', 'TERMINATED', 'TIMED_OUT'], ['RUNNING', 'PAUSED', 'DONE', 'MADE_UP']],
  ['asset', [4], [], [0, 1, 2, 3, 5, 44]],
])('P5: the status of a %s', (kind, done, failed, running) => {
  test('is the end or it is not', () => {
    for (const status of done) expect([status, endOf(kind, status)]).toEqual([status, 'done']);
    for (const status of failed) expect([status, endOf(kind, status)]).toEqual([status, 'failed']);
    // Other languages write null for what they leave out.
    for (const status of running) expect([status, endOf(kind, status, null)]).toEqual([status, undefined]);
  });

  test('is a failure where somebody names it as one, but not where it is done', () => {
    for (const status of running) expect(endOf(kind, status, [status])).toBe('failed');
    for (const status of done) expect(endOf(kind, status, [status])).toBe('done');
  });
});
