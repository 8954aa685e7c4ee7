/** What the sandbox holds back, and what lets it go: its fault is taken away, a reset, the stop. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from '../../support/eventually';
import { PAST_ANY_TEST_MS, useFaults } from '../../support/service/faults';
import { ask, readLedger } from '../../support/service/sandbox';

const { sandbox, submit, fault, rules, untilSeen } = useFaults();

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
