/** Each fault as it is on the wire, before and after the service applied the request. */
import { eventually } from '../../support/eventually';
import { PAST_ANY_TEST_MS, useFaults } from '../../support/service/faults';
import { ask, readLedger } from '../../support/service/sandbox';

const { sandbox, send, submit, fault, rules, untilSeen } = useFaults();

describe.each([
  ['before', false],
  ['after', true],
] as const)('%s the request is applied', (when, applied) => {
  // A request that a fault befell is seen once: as applied or as not, and never as both.
  afterEach(async () => {
    expect((await readLedger(sandbox.url)).entries).toHaveLength(1);
  });

  test('reset: the connection is reset without a byte', async () => {
    await fault({ fault: 'reset', when });
    const exchange = submit();
    await exchange.untilClosed();
    expect([exchange.state, exchange.text]).toEqual(['ECONNRESET', '']);
    expect(await untilSeen()).toMatchObject({ applied, fault: `reset ${when}` });
  });

  test('hang: nothing comes, until the fault is taken away', async () => {
    await fault({ fault: 'hang', when });
    const exchange = submit();
    expect(await untilSeen()).toMatchObject({ applied });
    expect([exchange.state, exchange.text]).toEqual(['open', '']);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await exchange.untilClosed();
    expect(exchange.text).toBe('');
  });

  test('hang with ms: the connection is closed without a byte', async () => {
    await fault({ fault: 'hang', when, ms: 1 });
    const exchange = submit();
    await exchange.untilClosed();
    expect(exchange.text).toBe('');
    expect(await untilSeen()).toMatchObject({ applied });
  });

  test('delay: the answer comes later, and the request is applied', async () => {
    await fault({ fault: 'delay', when, ms: PAST_ANY_TEST_MS });
    const exchange = submit();
    await eventually('the rule to act', async () => (await rules())[0]?.hits === 1);
    if (applied) expect(await untilSeen()).toMatchObject({ applied: true });
    else expect((await readLedger(sandbox.url)).entries).toEqual([]);
    expect(exchange.text).toBe('');
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await exchange.untilAnswered();
    expect(exchange.status).toBe(202);
    expect(await untilSeen()).toMatchObject({ applied: true, status: 202 });
  });

  test('truncate: half of the announced body, then the end', async () => {
    await fault({ fault: 'truncate', when });
    const exchange = submit();
    await exchange.untilClosed();
    expect(exchange.status).toBe(applied ? 202 : 503);
    expect(exchange.body.length).toBe(Math.floor(exchange.announcedLength / 2));
    expect(await untilSeen()).toMatchObject({ applied });
  });

  test('status: any status, with Retry-After where a time is given', async () => {
    await fault({ fault: 'status', when, status: 429, ms: 7_000 });
    const exchange = submit();
    await exchange.untilAnswered();
    expect(exchange.status).toBe(429);
    expect(exchange.text).toMatch(/\r\nretry-after: 7\r\n/i);
    expect(await untilSeen()).toMatchObject({ applied });
  });

  test('garbage: a whole answer that is no JSON', async () => {
    await fault({ fault: 'garbage', when, status: 202 });
    const exchange = submit();
    await exchange.untilAnswered();
    expect(exchange.status).toBe(202);
    expect(exchange.text).toContain('application/json');
    expect(() => JSON.parse(exchange.body) as unknown).toThrow();
    expect(await untilSeen()).toMatchObject({ applied });
  });

  test('slow-body: the head comes at once, the body piece by piece', async () => {
    await fault({ fault: 'slow-body', when, ms: PAST_ANY_TEST_MS });
    const exchange = submit();
    await eventually('the head', () => exchange.status);
    expect(exchange.body.length).toBeLessThan(exchange.announcedLength);
    expect(await untilSeen()).toMatchObject({ applied });
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    await exchange.untilAnswered();
    expect(JSON.parse(exchange.body)).toEqual(
      applied ? { task_id: expect.any(String) } : { detail: expect.stringContaining('fault') },
    );
  });
});

test.each(['reset', 'truncate'] as const)(
  '%s also comes on a connection where an earlier answer is awaited',
  async (cut) => {
    await fault({ operation: 'get-workspace', fault: 'delay', when: 'after', ms: 50 });
    await fault({ operation: 'get-workspace', match: { nth: 2 }, fault: cut, when: 'after' });
    const line = 'GET /api/v1/workspaces/current HTTP/1.1';
    const key = 'Authorization: Api-Key sandbox-key';
    const exchange = send([line, key, '', line, 'Host: x', key]);
    await exchange.untilClosed();
    expect(await readLedger(sandbox.url)).toMatchObject({ entries: [{ status: 200 }, { status: 200 }] });
  },
);

test('slow-body: a long body comes whole, in no more pieces than its time has room for', async () => {
  const data = { long: 'x'.repeat(20_000) };
  await ask(sandbox.url, 'PATCH /projects/document/17', { body: { data } });
  await fault({ operation: 'get-project', fault: 'slow-body', when: 'after', ms: 400 });
  const exchange = send(['GET /api/v1/projects/document/17 HTTP/1.1', 'Authorization: Api-Key sandbox-key']);
  await exchange.untilAnswered();
  expect(JSON.parse(exchange.body)).toMatchObject({ data });
  // A pause has 20 ms at least, and the head comes by itself; what is read late is read at once.
  expect(exchange.reads).toBeLessThanOrEqual(400 / 20 + 1);
});
