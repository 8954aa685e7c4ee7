import { SharedTrouble } from '../../../src/activities/protection/dedupedAlert';
import { type NotifyOutcome } from '../../../src/contract';

const SENT: NotifyOutcome = { outcome: 'sent' };
const HOUR_MS = 3_600_000;

function troubleAt(clock: { ms: number }, outcomes: NotifyOutcome[] = []) {
  const trouble = new SharedTrouble(() => clock.ms);
  const told = { times: 0 };
  const tell = () =>
    trouble.tell(() => {
      told.times += 1;
      return Promise.resolve(outcomes.shift() ?? SENT);
    });
  return { trouble, told, tell };
}

test('a thousand jobs that meet it at once tell it once', async () => {
  const { told, tell } = troubleAt({ ms: 0 });
  const outcomes = await Promise.all(Array.from({ length: 1_000 }, tell));
  expect(outcomes.every(({ outcome }) => outcome === 'sent')).toBe(true);
  expect(told.times).toBe(1);
});

test.each<NotifyOutcome>([
  { outcome: 'unknown', reason: 'reset' },
  { outcome: 'refused', status: 401, reason: 'denied' },
  { outcome: 'notSent', reason: 'refused' },
])('after one that was $outcome, another job tells it', async (first) => {
  const { told, tell } = troubleAt({ ms: 0 }, [first]);
  const [one, other] = await Promise.all([tell(), tell()]);
  expect(one).toEqual(first);
  expect(other).toMatchObject({ outcome: 'notSent' });
  expect(await tell()).toEqual(SENT);
  expect(told.times).toBe(2);
});

test('what was being told when access worked again is not what comes after', async () => {
  const trouble = new SharedTrouble(() => 0);
  let arrive: (outcome: NotifyOutcome) => void = () => undefined;
  const first = trouble.tell(() => new Promise((resolve) => (arrive = resolve)));
  trouble.isOver();
  const second: NotifyOutcome = { outcome: 'notSent', reason: 'the second' };
  expect(await trouble.tell(() => Promise.resolve(second))).toBe(second);
  arrive(SENT);
  expect(await first).toEqual(SENT);
  expect(await trouble.tell(() => Promise.resolve(second))).toBe(second);
});

test('it is told again after an hour, and when access worked in between', async () => {
  const clock = { ms: 0 };
  const { trouble, told, tell } = troubleAt(clock);
  await tell();
  clock.ms = HOUR_MS - 1;
  await tell();
  expect(told.times).toBe(1);
  clock.ms = HOUR_MS;
  await tell();
  expect(told.times).toBe(2);
  trouble.isOver();
  await tell();
  expect(told.times).toBe(3);
});
