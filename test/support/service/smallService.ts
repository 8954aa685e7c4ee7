/** A service with an answer for each path, which records its requests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface SmallService {
  url: string;
  /** `GET /path?query`, in order. */
  asked: string[];
  /** The headers of the last request. */
  lastHeaders: Record<string, unknown>;
  stop: () => Promise<void>;
}

type Answer = { status?: number; body: unknown } | { text: string };

/** `answers` maps `METHOD /path` (without query) to what is answered; anything else is 404. */
export async function startSmallService(
  answers: Record<string, Answer | (() => Answer | Promise<Answer>)>,
): Promise<SmallService> {
  const service: SmallService = { url: '', asked: [], lastHeaders: {}, stop: () => Promise.resolve() };
  // 0 keeps idle connections open: closing one could reset a request that a busy client has just sent.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const target = `${request.method ?? ''} ${request.url ?? ''}`;
    service.asked.push(target);
    service.lastHeaders = { ...request.headers };
    const found = answers[target.split('?')[0] ?? ''] ?? { status: 404, body: { detail: 'not found' } };
    void Promise.resolve(typeof found === 'function' ? found() : found).then((answer) => {
      if ('text' in answer) {
        response.end(answer.text);
      } else {
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer.body));
      }
    });
    request.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  service.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return service;
}
