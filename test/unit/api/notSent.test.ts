/** P1: what the outcome `notSent` promises, against real sockets: the service has nothing of the request. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { freePort } from '@segue/devserver';
import { selfSigned } from '../../support/servers/certificate';
import { eventually } from '../../support/eventually';
import { startRawServer, startSocketServer } from '../../support/service/rawServer';
import { ACCEPTED, submit } from '../../support/service/submits';

describe('P1: nothing was sent, proven', () => {
  test.each<[string, () => Promise<string>]>([
    ['a port that refuses', async () => `http://127.0.0.1:${await freePort()}`],
    ['a name that does not resolve', () => Promise.resolve('http://no-such-host.invalid')],
  ])('%s', async (_case, url) => {
    expect(await submit(await url())).toMatchObject({ outcome: 'notSent' });
  });

  test('a TLS handshake that fails', async () => {
    const { url, server } = await startSocketServer((socket) => socket.end('this is not TLS'));
    expect(await submit(url.replace('http:', 'https:'))).toMatchObject({ outcome: 'notSent' });
    server.close();
  });

  test('a certificate that nobody signed', async () => {
    const { key, cert } = selfSigned();
    let requests = 0;
    const server = createTlsServer({ key, cert }, (socket) => socket.on('data', () => requests++)).listen(
      0,
      '127.0.0.1',
    );
    server.on('tlsClientError', () => undefined);
    await once(server, 'listening');
    const outcome = await submit(`https://localhost:${(server.address() as AddressInfo).port}`);
    expect(outcome).toMatchObject({ outcome: 'notSent' });
    expect(requests).toBe(0);
    server.close();
  });

  test('a time for sending that has passed', async () => {
    const server = await startRawServer((socket) => socket.end(ACCEPTED));
    expect(await submit(server.url, { sendBefore: Date.now() - 1 })).toMatchObject({ outcome: 'notSent' });
    expect(server.received.join('')).toBe('');
    await server.stop();
  });

  test('a process that was stopped past its deadline and continued', async () => {
    const server = await startRawServer((socket) => socket.end(ACCEPTED));
    const support = path.join(__dirname, '../../support');
    const script = ['-r', `${support}/typescript.js`, `${support}/preload/lateSubmit.ts`];
    const child = spawn(process.execPath, [...script, server.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const sendBefore = await eventually('its deadline', () =>
      output.includes('\n') ? Number(output) : undefined,
    );
    await eventually('the deadline to pass', () => Date.now() > sendBefore);
    const closed = once(child, 'close');
    // Again and again: on a busy machine it may stop itself only now.
    await eventually('its end', () => {
      child.kill('SIGCONT');
      return child.exitCode !== null;
    });
    await closed;
    expect(JSON.parse(output.split('\n')[1] ?? '')).toMatchObject({ outcome: 'notSent' });
    expect(server.received.join('')).toBe('');
    await server.stop();
  });
});
