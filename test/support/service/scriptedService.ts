/** A service that gives one answer, which each test sets, and a client for it. */
import { type Api, type ApiSettings } from '../../../src/api/client';
import { type ServiceLayout } from '../../../src/api/operation';
import { PUBLISHED_LAYOUT } from '../../../src/config';
import { testApi } from './api';
import { answer, type RawServer, startRawServer } from './rawServer';

export interface ScriptedService {
  /** Its answer. Default: 200 and an empty object. */
  reply: { status: string; body: string; headers: string[] };
  url: () => string;
  /** Every complete request. */
  received: () => string[];
  api: (layout?: Partial<ServiceLayout>, settings?: Partial<ApiSettings>) => Api;
  /** Request line, headers in lower case and body of the only request. */
  sent: () => { line: string; head: string; json: unknown };
}

/** Called at the top of a test file: it starts and stops with the file, and is clean before each test. */
export function useScriptedService(): ScriptedService {
  let server: RawServer;
  const apis: Api[] = [];
  const reply = { status: '', body: '', headers: [] as string[] };

  beforeAll(async () => {
    server = await startRawServer((socket) =>
      socket.end(answer(reply.status, reply.body, ['connection: close', ...reply.headers])),
    );
  });
  beforeEach(() => {
    server.received.length = 0;
    Object.assign(reply, { status: '200 OK', body: '{}', headers: [] });
  });
  afterEach(async () => {
    await Promise.all(apis.splice(0).map((api) => api.close()));
  });
  afterAll(async () => {
    await server.stop();
  });

  return {
    reply,
    url: () => server.url,
    received: () => server.received,
    api(layout = {}, settings = {}) {
      const made = testApi(server.url, { layout: { ...PUBLISHED_LAYOUT, ...layout }, ...settings });
      apis.push(made);
      return made;
    },
    sent() {
      expect(server.received).toHaveLength(1);
      const [head = '', content = ''] = (server.received[0] ?? '').split('\r\n\r\n');
      const json: unknown = content === '' ? undefined : JSON.parse(content);
      return { line: head.split('\r\n')[0] ?? '', head: head.toLowerCase(), json };
    },
  };
}
