import { AccessDenials } from '../../../src/activities/protection/denials';
import { type NotifyOutcome } from '../../../src/contract';

const SENT: NotifyOutcome = { outcome: 'sent' };
const HOUR_MS = 3_600_000;

function alertAt(clock: { ms: number }, outcomes: NotifyOutcome[] = []) {
  const denials = new AccessDenials(() => clock.ms);
  const told = { times: 0 };
  const tell = () =>
    denials.raise('everybody', () => {
      told.times += 1;
      return Promise.resolve(outcomes.shift() ?? SENT);
    });
  return { denials, told, tell };
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
  const denials = new AccessDenials(() => 0);
  const raise = (send: () => Promise<NotifyOutcome>) => denials.raise('everybody', send);
  let arrive: (outcome: NotifyOutcome) => void = () => undefined;
  const first = raise(() => new Promise((resolve) => (arrive = resolve)));
  denials.reset(undefined);
  const second: NotifyOutcome = { outcome: 'notSent', reason: 'the second' };
  expect(await raise(() => Promise.resolve(second))).toBe(second);
  arrive(SENT);
  expect(await first).toEqual(SENT);
  expect(await raise(() => Promise.resolve(second))).toBe(second);
});

test('it is told again after an hour, and when access worked in between', async () => {
  const clock = { ms: 0 };
  const { denials, told, tell } = alertAt(clock);
  await tell();
  clock.ms = HOUR_MS - 1;
  await tell();
  expect(told.times).toBe(1);
  clock.ms = HOUR_MS;
  await tell();
  expect(told.times).toBe(2);
  denials.reset(undefined);
  await tell();
  expect(told.times).toBe(3);
});
