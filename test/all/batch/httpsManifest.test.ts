/** A manifest at an https address: whose word is taken for it, and where it may lead on to. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { nextAddress } from '../../../src/runs/manifest/address';
import { batchPartWorkflowId, batchWorkflowId } from '../../../src/contract/ids';
import { selfSigned } from '../../support/servers/certificate';
import { line } from '../../support/builders/manifestLines';

import { type Finished, type Settings, spawnSegue } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();

describe('a server with a certificate', () => {
  const { key: privateKey, cert } = selfSigned();
  const authority = path.join(shared().scratch, `${randomUUID()}.pem`);
  const asked: (string | undefined)[] = [];
  let server: Server;
  let url: string;

  beforeAll(async () => {
    await writeFile(authority, cert);
    server = createServer({ key: privateKey, cert }, (request, response) => {
      asked.push(request.url);
      if (request.url?.startsWith('/plain'))
        response.writeHead(302, { location: `http://localhost:${portOf(server)}/m.ndjson` }).end();
      else response.end(`${line({ key: 'a' })}\n${line({ key: 'b' })}\n`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `https://localhost:${portOf(server)}`;
  });
  beforeEach(() => {
    asked.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function start(place: string, settings: Settings): Promise<Finished & { key: string }> {
    const key = `b-${randomUUID()}`;
    const finished = await spawnSegue(['batch', 'start', url + place, '--key', key], {
      ...{ TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: testConfig().taskQueue },
      ...{ HTTPS_PROXY: '', https_proxy: '' },
      ...settings,
    });
    return { ...finished, key };
  }

  async function expectNotStarted(key: string): Promise<void> {
    const looking = temporal.client.workflow.getHandle(batchWorkflowId(key)).describe();
    await expect(looking).rejects.toThrow(WorkflowNotFoundError);
  }

  test('a certificate of a trusted authority gives a batch, read once', async () => {
    const { code, key } = await start('/m.ndjson?sig=1', { NODE_EXTRA_CA_CERTS: authority });
    expect(code).toBe(0);
    expect(asked).toEqual(['/m.ndjson?sig=1']);
    for (const workflowId of [batchPartWorkflowId(key, 1), batchWorkflowId(key)])
      await temporal.client.workflow.getHandle(workflowId).terminate();
  });

  test('a certificate that nobody vouches for is told, and nothing is asked or started', async () => {
    const { code, key, stderr } = await start('/m.ndjson?sig=secret', { NODE_EXTRA_CA_CERTS: '' });
    expect(code).toBe(4);
    expect(stderr).toContain(`${url}/m.ndjson cannot be read: self-signed certificate`);
    expect(stderr).not.toContain('secret');
    expect(asked).toEqual([]);
    await expectNotStarted(key);
  });

  test('is not left for plain http, not even on this machine', async () => {
    const { code, key, stderr } = await start('/plain', { NODE_EXTRA_CA_CERTS: authority });
    expect(code).toBe(4);
    expect(stderr).toMatch(/it redirects to http:\/\/localhost:\d+, which is not followed/);
    expect(asked).toEqual(['/plain']);
    await expectNotStarted(key);
  });
});

describe('an address that redirects', () => {
  test.each([
    ['https://example.com/a', '/b?sig=1', 'https://example.com/b?sig=1'],
    ['https://example.com/a', 'https://files.example.org/b', 'https://files.example.org/b'],
    ['http://127.0.0.1:1/a', 'http://127.0.0.1:2/b', 'http://127.0.0.1:2/b'],
    ['http://localhost:1/a', 'https://example.com/b', 'https://example.com/b'],
    ['https://localhost:1/a', 'https://127.0.0.1:2/b', 'https://127.0.0.1:2/b'],
  ])('%s to %s is followed', (from, location, to) => {
    expect(nextAddress(new URL(from), location).href).toBe(to);
  });

  test.each([
    ['https://example.com/a', 'http://example.com/a'],
    ['https://example.com/a', 'http://localhost/a'],
    ['https://example.com/a', 'https://localhost/a'],
    ['https://example.com/a', 'https://127.0.0.1/a'],
    ['https://example.com/a', 'https://[::1]/a'],
    ['https://example.com/a', 'https://user:secret@example.com/a'],
    ['https://example.com/a', 'file:///etc/passwd'],
    ['https://localhost/a', 'http://localhost/a'],
    ['http://localhost/a', 'http://example.com/a'],
  ])('%s to %s is not', (from, location) => {
    expect(() => nextAddress(new URL(from), location)).toThrow(/^it redirects to .*, which is not followed$/);
    expect(() => nextAddress(new URL(from), location)).not.toThrow(/secret/);
  });
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
