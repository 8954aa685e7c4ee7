import { DedupedAlert } from '../../../src/activities/protection/denials';
import { type NotifyOutcome } from '../../../src/contract';

const SENT: NotifyOutcome = { outcome: 'sent' };
const HOUR_MS = 3_600_000;

function alertAt(clock: { ms: number }, outcomes: NotifyOutcome[] = []) {
  const alert = new DedupedAlert(() => clock.ms);
  const told = { times: 0 };
  const tell = () =>
    alert.raise(() => {
      told.times += 1;
      return Promise.resolve(outcomes.shift() ?? SENT);
    });
  return { alert, told, tell };
}

test('a thousand jobs that meet it at once tell it once', async () => {
  const { told, tell } = alertAt({ ms: 0 });
  const outcomes = await Promise.all(Array.from({ length: 1_000 }, tell));
  expect(outcomes.every(({ outcome }) => outcome === 'sent')).toBe(true);
  expect(told.times).toBe(1);
});

test.each<NotifyOutcome>([
  { outcome: 'unknown', reason: 'reset' },
  { outcome: 'refused', status: 401, reason: 'denied' },
  { outcome: 'notSent', reason: 'refused' },
])('after one that was $outcome, another job tells it', async (first) => {
  const { told, tell } = alertAt({ ms: 0 }, [first]);
  const [one, other] = await Promise.all([tell(), tell()]);
  expect(one).toEqual(first);
  expect(other).toMatchObject({ outcome: 'notSent' });
  expect(await tell()).toEqual(SENT);
  expect(told.times).toBe(2);
});

test('what was being told when access worked again is not what comes after', async () => {
  const alert = new DedupedAlert(() => 0);
  let arrive: (outcome: NotifyOutcome) => void = () => undefined;
  const first = alert.raise(() => new Promise((resolve) => (arrive = resolve)));
  alert.reset();
  const second: NotifyOutcome = { outcome: 'notSent', reason: 'the second' };
  expect(await alert.raise(() => Promise.resolve(second))).toBe(second);
  arrive(SENT);
  expect(await first).toEqual(SENT);
  expect(await alert.raise(() => Promise.resolve(second))).toBe(second);
});

test('it is told again after an hour, and when access worked in between', async () => {
  const clock = { ms: 0 };
  const { alert, told, tell } = alertAt(clock);
  await tell();
  clock.ms = HOUR_MS - 1;
  await tell();
  expect(told.times).toBe(1);
  clock.ms = HOUR_MS;
  await tell();
  expect(told.times).toBe(2);
  alert.reset();
  await tell();
  expect(told.times).toBe(3);
});
