/** Each fault as it is on the wire, before and after the service applied the request. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { type RuleRequest } from '../../src/sandbox/faults/rules';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { RawExchange } from '../support/rawClient';
import { addFault, ask, readLedger } from '../support/sandbox';

let sandbox: Sandbox;
const open: RawExchange[] = [];

beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(async () => {
  for (const exchange of open.splice(0)) exchange.close();
  await sandbox.stop();
});

const PAST_ANY_TEST_MS = 3_600_000;

function submit(requestId = 'job.submit.1'): RawExchange {
  const exchange = RawExchange.send(
    sandbox.url,
    [
      'POST /api/v1/tools/remove-background HTTP/1.1',
      'Authorization: Api-Key sandbox-key',
      'Content-Type: application/json',
      `X-Request-Id: ${requestId}`,
    ],
    JSON.stringify({ image_url: `${sandbox.url}/samples/shoe.png` }),
  );
  open.push(exchange);
  return exchange;
}

function fault(rule: Partial<RuleRequest>): Promise<void> {
  const usual: RuleRequest = {
    operation: 'remove-background',
    match: { nth: 1 },
    fault: 'reset',
    when: 'before',
  };
  return addFault(sandbox.url, { ...usual, ...rule });
}

/** Waits until the service has seen the request, and gives its line of the ledger. */
function untilSeen() {
  return eventually('a line in the ledger', async () => (await readLedger(sandbox.url)).entries[0]);
}

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

async function rules(): Promise<{ id: string; seen: number; hits: number }[]> {
  const { json } = await ask(sandbox.url, 'GET /_sandbox/faults');
  return json.faults as { id: string; seen: number; hits: number }[];
}

describe('which requests a rule befalls', () => {
  const get = async (requestId = ''): Promise<number> => {
    const headers: Record<string, string> = requestId === '' ? {} : { 'x-request-id': requestId };
    return (await ask(sandbox.url, 'GET /workspaces/current', { headers })).status;
  };
  const statuses = async (times: number): Promise<number[]> => {
    const seen: number[] = [];
    for (let n = 0; n < times; n++) seen.push(await get());
    return seen;
  };
  const refuse = (match: RuleRequest['match'], operation = 'get-workspace'): Promise<void> =>
    fault({ operation, match, fault: 'status' });

  test('the nth', async () => {
    await refuse({ nth: 2 });
    expect(await statuses(4)).toEqual([200, 503, 200, 200]);
  });

  test('every nth', async () => {
    await refuse({ every: 2 });
    expect(await statuses(4)).toEqual([200, 503, 200, 503]);
  });

  test('a share, the same ones for the same seed', async () => {
    await refuse({ share: 0.3, seed: 42 });
    const first = await statuses(40);
    const hit = first.filter((status) => status === 503).length;
    expect(hit).toBeGreaterThan(4);
    expect(hit).toBeLessThan(24);
    await ask(sandbox.url, 'POST /_sandbox/reset');
    await refuse({ share: 0.3, seed: 42 });
    expect(await statuses(40)).toEqual(first);
    await ask(sandbox.url, 'POST /_sandbox/reset');
    await refuse({ share: 0.3, seed: 43 });
    expect(await statuses(40)).not.toEqual(first);
  });

  test('one request id', async () => {
    await refuse({ requestId: 'b' });
    expect([await get('a'), await get('b'), await get('c')]).toEqual([200, 503, 200]);
  });

  test('those of its operation only, and of all for *', async () => {
    await refuse({ every: 1 }, 'get-voice');
    expect(await get()).toBe(200);
    await refuse({ every: 1 }, '*');
    expect(await get()).toBe(503);
  });

  test('the first of several rules acts, and each counts for itself', async () => {
    await refuse({ nth: 1 });
    await fault({ operation: 'get-workspace', match: { nth: 2 }, fault: 'status', status: 500 });
    expect(await statuses(3)).toEqual([503, 500, 200]);
    expect(await rules()).toMatchObject([
      { id: 'f1', seen: 3, hits: 1 },
      { id: 'f2', seen: 3, hits: 1 },
    ]);
  });

  test('rules are taken away one by one or all at once', async () => {
    await refuse({ every: 1 });
    await refuse({ every: 1 });
    await ask(sandbox.url, 'DELETE /_sandbox/faults/f1');
    expect(await rules()).toMatchObject([{ id: 'f2' }]);
    expect((await ask(sandbox.url, 'DELETE /_sandbox/faults/f1')).status).toBe(404);
    await ask(sandbox.url, 'DELETE /_sandbox/faults');
    expect(await rules()).toEqual([]);
    expect(await get()).toBe(200);
  });

  test('a rule with problems is refused with all of them', async () => {
    const body = { operation: 'fly', match: { nth: 0 }, fault: 'explode', when: 'never', status: 99, x: 1 };
    const { status, json } = await ask(sandbox.url, 'POST /_sandbox/faults', { body });
    expect(status).toBe(400);
    expect(json.errors).toHaveLength(6);
    expect(await rules()).toEqual([]);
  });
});

describe('what a fault holds back', () => {
  test('is let go when that fault is taken away, and by no other', async () => {
    await fault({ fault: 'hang', when: 'after' });
    await fault({ match: { nth: 2 }, fault: 'hang', when: 'after' });
    const [first, second] = [submit('a'), submit('b')];
    await eventually('both', async () => (await readLedger(sandbox.url)).entries.length === 2);
    await ask(sandbox.url, 'DELETE /_sandbox/faults/f1');
    await eventually('one end', () => first.state !== 'open' || second.state !== 'open');
    expect([first.state, second.state]).toContain('open');
    await ask(sandbox.url, 'DELETE /_sandbox/faults/f2');
    await Promise.all([first.untilClosed(), second.untilClosed()]);
  });

  test('from before a reset is cut off, and is not applied after it', async () => {
    await fault({ fault: 'delay', when: 'before', ms: PAST_ANY_TEST_MS });
    const exchange = submit();
    await eventually('the rule to act', async () => (await rules())[0]?.hits === 1);
    await ask(sandbox.url, 'POST /_sandbox/reset');
    await exchange.untilClosed();
    expect(exchange.text).toBe('');
    expect(await readLedger(sandbox.url)).toMatchObject({ entries: [], summary: { submissions: 0 } });
  });

  test('may be any number of requests', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', onWarning);
    await fault({ match: { every: 1 }, fault: 'hang', when: 'before' });
    for (let n = 0; n < 20; n++) submit();
    await eventually('all', async () => (await readLedger(sandbox.url)).entries.length === 20);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

test.each(['reset', 'truncate'] as const)(
  '%s also comes on a connection where an earlier answer is awaited',
  async (cut) => {
    await fault({ operation: 'get-workspace', fault: 'delay', when: 'after', ms: 50 });
    await fault({ operation: 'get-workspace', match: { nth: 2 }, fault: cut, when: 'after' });
    const line = 'GET /api/v1/workspaces/current HTTP/1.1';
    const key = 'Authorization: Api-Key sandbox-key';
    const exchange = RawExchange.send(sandbox.url, [line, key, '', line, 'Host: x', key]);
    open.push(exchange);
    await exchange.untilClosed();
    expect(await readLedger(sandbox.url)).toMatchObject({ entries: [{ status: 200 }, { status: 200 }] });
  },
);

test('slow-body: a long body takes as long as asked, and no longer', async () => {
  const data = { long: 'x'.repeat(20_000) };
  await ask(sandbox.url, 'PATCH /projects/document/17', { body: { data } });
  await fault({ operation: 'get-project', fault: 'slow-body', when: 'after', ms: 400 });
  const began = performance.now();
  expect((await ask(sandbox.url, 'GET /projects/document/17')).json.data).toEqual(data);
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(350);
  expect(took).toBeLessThan(4_000);
});

describe('stopping', () => {
  test.each([
    ['a head', 'POST /api/v1/service/agent/notify HTTP/1.1\r\nHost:'],
    ['a body', 'POST /api/v1/service/agent/notify HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ])('does not wait for %s that never comes to its end', async (_case, begun) => {
    const { port, hostname } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname);
    socket.write(begun);
    await ask(sandbox.url, 'GET /workspaces/current');
    const closed = once(socket, 'close');
    await sandbox.stop();
    await closed;
  });

  test('answers what was asked, and keeps no connection for more', async () => {
    await fault({ fault: 'delay', when: 'after', ms: PAST_ANY_TEST_MS });
    const exchange = submit();
    await untilSeen();
    await sandbox.stop();
    await exchange.untilClosed();
    expect(exchange.status).toBe(202);
    expect(exchange.body.length).toBe(exchange.announcedLength);
  });
});

test('stopping lets go of what faults hold back', async () => {
  await fault({ fault: 'hang', when: 'after' });
  const exchange = submit();
  await untilSeen();
  await sandbox.stop();
  await exchange.untilClosed();
  expect(exchange.text).toBe('');
});
