/** What a partition makes of outcomes, without a server. */
import { type ChunkOutcome } from '../../../src/contract';
import { isJudged } from '../../../src/workflows/partition/submit';

test.each<[string, ChunkOutcome, boolean]>([
  ['an acceptance', { outcome: 'accepted', taskId: 't' }, true],
  ['a refusal', { outcome: 'refused', status: 422, reason: 'no' }, true],
  ['a denial', { outcome: 'refused', status: 401, reason: 'no' }, false],
  ['too much', { outcome: 'refused', status: 429, reason: 'no' }, false],
  ['a refusal of the worker itself', { outcome: 'refused', reason: 'not sent, the request is wrong' }, false],
  ['silence', { outcome: 'unknown', reason: 'no answer' }, false],
])('whether %s tells that the service is well', (_name, outcome, isWell) => {
  expect(isJudged(outcome)).toBe(isWell);
});
