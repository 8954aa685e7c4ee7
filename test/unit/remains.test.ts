import { FAILURE, type MediaStage, type MediaState, type SubmitAttempt } from '../../src/contract';
import { remainsOfFailed, remainsOfStopped } from '../../src/client/jobs/remains';

function state(outcome: SubmitAttempt['outcome'] | undefined, taskId: string | null = null): MediaState {
  const attempts = outcome ? [{ n: 3, at: '2026-01-01T00:00:00Z', outcome }] : [];
  return { taskId, attempts } as Partial<MediaState> as MediaState;
}

const unknown = { is: 'unknown', requestId: 'k.submit.3' };
const nothing = { is: 'nothing' };

describe('P1: what a stopped run may have left at the service', () => {
  test.each<[string, Parameters<typeof state>, unknown]>([
    ['a task', ['accepted', 't'], { is: 'task', taskId: 't' }],
    ['a POST on its way', ['pending'], unknown],
    ['a POST that may have been accepted', ['unknown'], unknown],
    ['one of a task that was submitted again', ['unknown', 't'], unknown],
    ['one of a task that is being submitted again', ['pending', 't'], unknown],
    ['a POST that was refused', ['refused'], nothing],
    ['a POST that was not sent', ['notSent'], nothing],
    ['no POST at all', [undefined], nothing],
  ])('%s, by its own words', (_case, words, remains) => {
    expect(remainsOfStopped({ key: 'k', stage: 'cancelled', taskId: null, state: state(...words) })).toEqual(
      remains,
    );
  });

  test.each<[MediaStage | null, string | null, unknown]>([
    ['polling', 't', { is: 'task', taskId: 't' }],
    ['waiting', null, nothing],
    ['submitting', null, { is: 'unknown', requestId: null }],
    ['held', null, { is: 'unknown', requestId: null }],
    ['cancelled', null, { is: 'unknown', requestId: null }],
    [null, null, { is: 'unknown', requestId: null }],
  ])('stage %s and task %s, where no worker answers', (stage, taskId, remains) => {
    expect(remainsOfStopped({ key: 'k', stage, taskId, state: undefined })).toEqual(remains);
  });

  test.each([
    [FAILURE.taskFailed, nothing],
    [FAILURE.refused, nothing],
    [FAILURE.badInput, nothing],
    // The server repeated a run; the one before it had this task.
    [FAILURE.unsafeStart, { is: 'task', taskId: 't' }],
    [null, { is: 'task', taskId: 't' }],
    [FAILURE.givenUp, { is: 'task', taskId: 't' }],
    [FAILURE.abandoned, { is: 'task', taskId: 't' }],
  ])('of a run that failed as %s', (type, remains) => {
    const last = { key: 'k', stage: 'failed', taskId: 't', state: undefined } as const;
    expect(remainsOfFailed(type, last)).toEqual(remains);
  });
});
