/** What a partition makes of outcomes, and how often it asks, without a server. */
import { type ChunkOutcome } from '../../../src/contract';
import { slower } from '../../../src/workflows/partition/poll';
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

test.each([50, 1_000, 20_000])(
  'polls every %d ms for a day while it hands over leave its history far from full',
  (usual) => {
    let [polls, passed] = [0, 0];
    while (passed < 24 * 3_600_000) passed += slower(usual, polls++);
    expect(polls).toBeLessThan(1_000);
    expect(slower(usual, 0)).toBe(usual);
  },
);
