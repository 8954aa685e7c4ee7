/** A service that says "too many" to one submit is left alone by all of a worker. */
import { RateLimitPause } from '../../../src/activities/protection/rateLimitPause';
import { type SubmitOutcome } from '../../../src/api/outcomes';

const ACCEPTED: SubmitOutcome = { outcome: 'accepted', taskId: 't-1' };

function refused(status: number, retryAfterMs?: number): SubmitOutcome {
  return { outcome: 'refused', status, reason: `status ${status}`, retryAfterMs };
}

/** How many of those that come after it, one each second, are answered without being sent. */
async function keptBackAfter(first: SubmitOutcome): Promise<number> {
  let now = 1_000_000;
  const quiet = new RateLimitPause(() => now);
  await quiet.run(() => Promise.resolve(first));
  for (let seconds = 0; ; seconds += 1, now += 1_000) {
    const outcome = await quiet.run(() => Promise.resolve(ACCEPTED));
    if (outcome.outcome === 'accepted') return seconds;
    expect(outcome).toMatchObject({ outcome: 'refused', status: 429 });
  }
}

test.each([
  ['for as long as the service asked', refused(429, 7_000), 7],
  ['for a second where it does not say', refused(429), 1],
  ['for a minute at most', refused(429, 3_600_000), 60],
  ['not after what is about one request alone', refused(425, 7_000), 0],
  ['not after a denial', refused(403), 0],
  ['not after a success', ACCEPTED, 0],
])('%s', async (_case, first, seconds) => {
  expect(await keptBackAfter(first)).toBe(seconds);
});

test('what is kept back tells how long it is to wait', async () => {
  let now = 0;
  const quiet = new RateLimitPause(() => now);
  await quiet.run(() => Promise.resolve(refused(429, 5_000)));
  now = 2_000;
  expect(await quiet.run(() => Promise.resolve(ACCEPTED))).toEqual({
    ...{ outcome: 'refused', status: 429, retryAfterMs: 3_000 },
    reason: 'not sent: the service said "too many" to this worker (429), 3s are left',
  });
});
