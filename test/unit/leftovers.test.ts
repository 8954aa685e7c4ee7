import { TypedSearchAttributes } from '@temporalio/common';
import { leftoversOfFailed, leftoversOfStopped } from '../../src/client/jobs/leftovers';
import { FAILURE, type MediaStage, UNKNOWN_MEMO } from '../../src/contract';
import { searchAttributes } from '../../src/contract/searchAttributes';
import { type Listed } from '../../src/runs/find';

/** A closed run, as the server lists it. */
function listed(
  stage: MediaStage | null,
  taskId: string | null,
  submission?: string,
  otherTasks: string[] = [],
): Listed {
  const run: Partial<Listed> = {
    workflowId: 'media/k',
    startTime: new Date(),
    status: { name: 'TERMINATED' } as Listed['status'],
    memo: submission === undefined ? {} : { [UNKNOWN_MEMO]: { submission } },
    typedSearchAttributes: new TypedSearchAttributes([
      ...(stage ? [{ key: searchAttributes.stage, value: stage }] : []),
      ...(taskId ? [{ key: searchAttributes.taskIds, value: [taskId, ...otherTasks] }] : []),
    ]),
  };
  return run as Listed;
}

const task = { is: 'task', taskId: 't' };
const nothing = { is: 'nothing' };
const unknown = { is: 'unknown', requestId: null };

describe('P1: what a stopped run may have left at the service', () => {
  test.each<[MediaStage | null, string | null, string | undefined, unknown]>([
    ['polling', 't', undefined, task],
    ['cancelled', 't', undefined, task],
    ['held', 't', undefined, task],
    ['waiting', null, undefined, nothing],
    ['cancelled', null, undefined, nothing],
    ['submitting', null, undefined, unknown],
    ['submitting', 't', 'k.submit.1', unknown],
    ['held', null, 'k.submit.3', { is: 'unknown', requestId: 'k.submit.3' }],
    ['held', 't', 'k.submit.3', { is: 'unknown', requestId: 'k.submit.3' }],
    ['cancelled', null, 'k.submit.3', { is: 'unknown', requestId: 'k.submit.3' }],
    ['held', null, undefined, unknown],
    [null, null, undefined, unknown],
  ])('stage %s, task %s, unknown POST %s', (stage, taskId, submission, leftovers) => {
    expect(leftoversOfStopped(listed(stage, taskId, submission))).toEqual(leftovers);
  });

  test.each([
    [FAILURE.taskFailed, nothing],
    // The task is of a submission before the one that was refused.
    [FAILURE.refused, task],
    // The server repeated a run; the one before it had this task.
    [FAILURE.unsafeStart, task],
    [null, task],
    [FAILURE.givenUp, task],
    [FAILURE.abandoned, task],
  ])('of a run that failed as %s', (type, leftovers) => {
    expect(leftoversOfFailed(type, listed('failed', 't'))).toEqual(leftovers);
  });

  test.each([FAILURE.refused, FAILURE.badInput])('of a run without a task that failed as %s', (type) => {
    expect(leftoversOfFailed(type, listed('failed', null))).toEqual(nothing);
  });

  test('a run whose task failed may have another, of an earlier submission', () => {
    const run = listed('failed', 't', undefined, ['earlier']);
    expect(leftoversOfFailed(FAILURE.taskFailed, run)).toEqual({ is: 'task', taskId: 'earlier' });
  });
});
