/** When submits are held back, and when they are sent again. */
import { Breaker, type BreakerChange } from '../../../src/activities/protection/breaker';
import { AccessDenials, deniedScope } from '../../../src/activities/protection/denials';
import { StatusError } from '../../../src/api/errors';
import { type SubmitOutcome } from '../../../src/api/outcomes';

const ACCEPTED: SubmitOutcome = { outcome: 'accepted', taskId: 't-1' };
const UNKNOWN: SubmitOutcome = { outcome: 'unknown', reason: 'status 503: overloaded' };
const NOT_SENT: SubmitOutcome = { outcome: 'notSent', reason: 'refused' };
const refused = (status?: number): SubmitOutcome => ({
  outcome: 'refused',
  status,
  reason: `status ${status}`,
});
const HELD_BACK = { outcome: 'notSent', reason: expect.stringContaining('holds submits back since') };

/** A breaker with a service behind it that a test can break, a clock that it moves, and what was asked of both. */
function set() {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const changes: BreakerChange[] = [];
  const breaker = new Breaker({ now: () => clock.now, onChange: (change) => changes.push(change) });
  const asked = { reads: 0, posts: 0 };
  const readable = (): Promise<unknown> => Promise.resolve(asked.reads++);
  const unreadable = (problem = new Error('status 503')) => {
    asked.reads++;
    return Promise.reject(problem);
  };
  const submit = (
    outcome: SubmitOutcome | Promise<SubmitOutcome>,
    read: () => Promise<unknown> = readable,
    organization = '1',
  ) =>
    breaker.pass(
      (status) => deniedScope(status, { organization }),
      read,
      () => {
        asked.posts++;
        return Promise.resolve(outcome);
      },
    );
  const submitEach = async (...outcomes: SubmitOutcome[]): Promise<void> => {
    for (const outcome of outcomes) await submit(outcome);
  };
  return { breaker, clock, changes, asked, unreadable, submit, submitEach };
}

/** A POST on the wire, which the test answers. */
function onTheWire() {
  let answer: (outcome: SubmitOutcome) => void = () => undefined;
  const outcome = new Promise<SubmitOutcome>((resolve) => {
    answer = resolve;
  });
  return { outcome, answer };
}

describe('it opens', () => {
  const DENIED_TWICE = [refused(401), refused(401)];

  test.each<[string, SubmitOutcome[], boolean]>([
    ['after three unknown outcomes', [UNKNOWN, UNKNOWN, UNKNOWN], true],
    ['not after two', [UNKNOWN, UNKNOWN], false],
    ['after three denials', [refused(401), refused(403), refused(401)], true],
    ['not after two of each', [UNKNOWN, refused(401), UNKNOWN, refused(403)], false],
    ['though what was never sent came between', [UNKNOWN, NOT_SENT, UNKNOWN, NOT_SENT, UNKNOWN], true],
    ['though a request was refused here, unsent', [UNKNOWN, UNKNOWN, refused(undefined), UNKNOWN], true],
    ['though a denial came between', [UNKNOWN, UNKNOWN, refused(401), UNKNOWN], true],
    ['not when one was accepted between', [UNKNOWN, UNKNOWN, ACCEPTED, UNKNOWN, UNKNOWN], false],
    ['not when one was accepted between denials', [...DENIED_TWICE, ACCEPTED, ...DENIED_TWICE], false],
    ['not when one was refused between', [UNKNOWN, UNKNOWN, refused(422), UNKNOWN, UNKNOWN], false],
    ['not when one was asked to wait between', [UNKNOWN, UNKNOWN, refused(429), UNKNOWN, UNKNOWN], false],
    ['not after any number of refusals', [422, 422, 429, 404, 400].map(refused), false],
    ['not after any number that were never sent', [NOT_SENT, NOT_SENT, NOT_SENT, NOT_SENT], false],
  ])('%s', async (_case, outcomes, opens) => {
    const { breaker, submitEach } = set();
    await submitEach(...outcomes);
    expect(breaker.isOpen).toBe(opens);
  });
});

describe('while it is open', () => {
  test('a submit says why, since when, and what ends it', async () => {
    const { asked, submit, submitEach, unreadable } = set();
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    expect(await submit(ACCEPTED, unreadable)).toEqual({
      outcome: 'notSent',
      reason:
        'not sent: this worker holds submits back since 2026-01-01T00:00:00.000Z (0ms), after 3 submits of unknown ' +
        'outcome in a row, the last: status 503: overloaded. Its last try: status 503. It sends one when the ' +
        'workspace can be read, and all others when that one is answered',
    });
    expect(asked).toEqual({ reads: 1, posts: 3 });
  });

  test('the service is read at most once a second, whatever number of submits there are', async () => {
    const { clock, asked, submit, submitEach, unreadable } = set();
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    for (let ms = 0; ms < 10_000; ms += 100) {
      await Promise.all([1, 2, 3].map(() => submit(ACCEPTED, unreadable)));
      clock.now += 100;
    }
    expect(asked).toEqual({ reads: 10, posts: 3 });
  });

  test('one submit reads and goes on; the others answer at once until it has its outcome', async () => {
    const { breaker, clock, changes, asked, submit, submitEach } = set();
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    const trial = onTheWire();
    const first = submit(trial.outcome);
    expect(await submit(ACCEPTED)).toEqual(HELD_BACK);
    clock.now += 5_000;
    expect(await submit(ACCEPTED)).toEqual(HELD_BACK);
    trial.answer(ACCEPTED);
    expect(await first).toEqual(ACCEPTED);
    expect(breaker.isOpen).toBe(false);
    expect(asked).toEqual({ reads: 1, posts: 4 });
    expect(await submit(ACCEPTED)).toEqual(ACCEPTED);
    expect(changes).toEqual([
      { to: 'open', why: expect.stringContaining('status 503: overloaded') },
      { to: 'closed', openMs: 5_000 },
    ]);
  });

  test.each<[string, SubmitOutcome, boolean]>([
    ['accepted', ACCEPTED, false],
    ['refused', refused(422), false],
    ['asked to wait', refused(429), false],
    ['unknown', UNKNOWN, true],
    ['denied', refused(403), true],
    ['never sent', NOT_SENT, true],
  ])('and the one that goes on is %s', async (_case, outcome, staysOpen) => {
    const { breaker, submit, submitEach } = set();
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    expect(await submit(outcome)).toEqual(outcome);
    expect(breaker.isOpen).toBe(staysOpen);
  });

  test('a service that reads and cannot write gets fewer and fewer: an hour costs some sixty jobs, not thousands', async () => {
    const { clock, asked, submit, submitEach } = set();
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    for (let seconds = 0; seconds < 3_600; seconds++) {
      await submit(UNKNOWN);
      clock.now += 1_000;
    }
    expect(asked.posts).toBeLessThan(70);
  });

  test('a submit that breaks off lets the next one try', async () => {
    const { breaker, clock, submit, submitEach } = set();
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    await expect(submit(Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    clock.now += 1_000;
    await submit(ACCEPTED);
    expect(breaker.isOpen).toBe(false);
  });

  test.each<[string, SubmitOutcome[], number | undefined, SubmitOutcome['outcome'], number | undefined]>([
    ['it was opened by denials', [refused(401), refused(401), refused(403)], undefined, 'refused', 403],
    ['the read is denied', [UNKNOWN, UNKNOWN, UNKNOWN], 401, 'refused', 401],
    ['the read fails otherwise', [refused(401), refused(401), refused(401)], 500, 'notSent', undefined],
  ])('it tells of denial, when %s', async (_case, outcomes, readStatus, outcome, status) => {
    const { clock, submit, submitEach, unreadable } = set();
    await submitEach(...outcomes);
    // Before the first read is due.
    if (readStatus === undefined) clock.now -= 1;
    const facts = { operation: 'get workspace', requestId: 'r' };
    const problem = new StatusError({ status: readStatus ?? 200, serviceMessage: 'no' }, facts);
    const answered = await submit(ACCEPTED, () => unreadable(problem));
    expect(answered).toEqual({ outcome, status, reason: HELD_BACK.reason as unknown });
  });
});

describe('what was on the wire when it changed', () => {
  test('a hundred at once in trouble open it once, and nothing more is sent', async () => {
    const { changes, asked, submit, unreadable } = set();
    const wire = Array.from({ length: 100 }, onTheWire);
    const sent = wire.map(({ outcome }) => submit(outcome));
    for (const { answer } of wire) answer(UNKNOWN);
    await Promise.all(sent);
    const later = await Promise.all(Array.from({ length: 900 }, () => submit(UNKNOWN, unreadable)));
    expect(later).toEqual(later.map(() => HELD_BACK));
    expect(asked.posts).toBe(100);
    expect(changes).toHaveLength(1);
  });

  test('answers that come late do not close it', async () => {
    const { breaker, submit, submitEach } = set();
    const late = onTheWire();
    const sent = submit(late.outcome);
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN);
    late.answer(ACCEPTED);
    expect(await sent).toEqual(ACCEPTED);
    expect(breaker.isOpen).toBe(true);
  });

  test('unknown outcomes that come after it closed do not open it again', async () => {
    const { breaker, submit, submitEach } = set();
    const late = Array.from({ length: 10 }, onTheWire);
    const sent = late.map(({ outcome }) => submit(outcome));
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN, ACCEPTED);
    for (const { answer } of late) answer(UNKNOWN);
    await Promise.all(sent);
    expect(breaker.isOpen).toBe(false);
  });

  test('answers from before it closed do not hide new trouble', async () => {
    const { breaker, submit, submitEach } = set();
    const late = onTheWire();
    const sent = submit(late.outcome);
    await submitEach(UNKNOWN, UNKNOWN, UNKNOWN, ACCEPTED, UNKNOWN, UNKNOWN);
    late.answer(ACCEPTED);
    await sent;
    await submit(UNKNOWN);
    expect(breaker.isOpen).toBe(true);
  });
});

describe('a denial', () => {
  test.each<[number, string, object]>([
    [403, '1', { outcome: 'refused', status: 403 }],
    [403, '2', HELD_BACK],
    [401, '1', { outcome: 'refused', status: 401 }],
    [401, '2', { outcome: 'refused', status: 401 }],
  ])('by %d of workspace 1 is for workspace %s', async (status, organization, expected) => {
    const { clock, submit, submitEach, unreadable } = set();
    await submitEach(refused(status), refused(status), refused(status));
    // Before the first read is due.
    clock.now -= 1;
    expect(await submit(ACCEPTED, unreadable, organization)).toMatchObject(expected);
  });

  test('that one workspace was told of is told to the other, too', async () => {
    const denials = new AccessDenials(() => 0);
    const told: string[] = [];
    const meet = (organization: string) =>
      denials.raise(deniedScope(403, { organization }), () => {
        told.push(organization);
        return Promise.resolve({ outcome: 'sent' });
      });
    for (const organization of ['1', '1', '2']) await meet(organization);
    denials.reset({ organization: '2' });
    for (const organization of ['1', '2']) await meet(organization);
    expect(told).toEqual(['1', '2', '2']);
  });
});
