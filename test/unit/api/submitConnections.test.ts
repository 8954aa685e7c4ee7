/** A submit has a connection that nobody used before, and keeps it until it is answered. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ASK, testApi } from '../../support/service/api';
import { eventually } from '../../support/eventually';
import { answer, startRawServer, startSocketServer } from '../../support/service/rawServer';
import { ACCEPTED, REQUEST } from '../../support/service/submits';

describe('P1: the connection of a POST', () => {
  test('a submit never meets the keep-alive race: it has a connection of its own each time', async () => {
    // The server leaves every connection open, and answers one request of each.
    const server = await startRawServer((socket) =>
      socket.write(ACCEPTED.replace('\r\n', '\r\nconnection: keep-alive\r\n')),
    );
    const api = testApi(server.url);
    for (let n = 1; n <= 20; n++) {
      const options = { requestId: `k.submit.${n}`, timeoutMs: 15_000 };
      const outcome = await api.submit('remove-background', REQUEST, options);
      expect(outcome).toEqual({ outcome: 'accepted', taskId: 't-1' });
    }
    expect(server.received).toHaveLength(20);
    await api.close();
    await server.stop();
  });

  test('nor does it get one that was opened for another: what nobody uses is closed at once', async () => {
    const seen: { socket: Socket; request: string; isClosed: boolean }[] = [];
    const { url, server } = await startSocketServer((socket) => {
      const one = { socket, request: '', isClosed: false };
      seen.push(one);
      socket.on('data', (chunk) => (one.request += chunk.toString()));
      socket.on('close', () => (one.isClosed = true));
    });
    const api = testApi(url);
    // It keeps the client from thinking that nobody wants anything of this service.
    const other = api.submit('remove-background', REQUEST, { ...ASK, timeoutMs: 60_000 });
    await eventually('the other POST', () => seen[0]?.request);
    const long = api.submit('remove-background', REQUEST, { ...ASK, timeoutMs: 60_000 });
    await eventually('the long POST', () => seen[1]?.request);
    // The client gives it up.
    seen[1]?.socket.end(answer('202 Accepted', ' '.repeat(9 << 20)));
    expect(await long).toMatchObject({ outcome: 'unknown' });
    await eventually('the connection that was opened once more', () => seen.length > 2);
    // By itself undici closes one after 4 s. This timer begins after that of 1 ms, and so is over after it.
    await sleep(1_000);
    // What the client closed before, the server sees before the end of one that is opened now.
    connect({ port: Number(new URL(url).port), host: '127.0.0.1' }).end();
    await eventually('the last connection', () => seen[3]?.isClosed);
    expect(seen.map(({ isClosed }) => isClosed)).toEqual([false, true, true, true]);
    expect(seen[2]?.request).toBe('');
    seen[0]?.socket.end(ACCEPTED);
    expect(await other).toMatchObject({ outcome: 'accepted' });
    await api.close();
    server.close();
  });

  test('whoever calls cannot cut a POST off: closing the client waits for it', async () => {
    const sockets: Socket[] = [];
    const server = await startRawServer((socket) => sockets.push(socket));
    const api = testApi(server.url);
    const submitted = api.submit('remove-background', REQUEST, ASK);
    await eventually('the request', () => sockets.length === 1);
    const closed = api.close();
    sockets[0]?.end(ACCEPTED);
    expect(await submitted).toEqual({ outcome: 'accepted', taskId: 't-1' });
    await closed;
    await server.stop();
  });
});
