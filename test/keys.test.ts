import { digest } from '../src/digest';
import { isGivenKey, mediaWorkflowId, projectWriterId, submitRequestId } from '../src/ids';

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
    ['42', 'campaign', '7', 'project/42~campaign~7'],
    ['a~b', 'c/d', 'e f%', 'project/a%7Eb~c%2Fd~e%20f%25'],
  ])('workspace %s, type %s and id %s give one writer', (organization, resourcetype, id, workflowId) => {
    expect(projectWriterId(organization, { resourcetype, id })).toBe(workflowId);
  });

  test('a digest does not depend on the order of members, nor on absent ones', () => {
    expect(digest({ a: 1, b: { c: [1, 2], d: undefined } })).toBe(digest({ b: { c: [1, 2] }, a: 1 }));
    expect(digest({ a: [1, 2] })).not.toBe(digest({ a: [2, 1] }));
    expect(digest({ a: '1' })).not.toBe(digest({ a: 1 }));
  });
});
