/** A server whose behaviour on each connection a test defines, byte by byte. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface RawServer {
  url: string;
  /** Everything that each connection sent, in order of connection. */
  received: string[];
  stop: () => Promise<void>;
}

/** `onRequest` is called once a connection, with the request, when its head and body have arrived. */
export async function startRawServer(
  onRequest: (socket: Socket, request: string) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const received: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    const connection = received.push('') - 1;
    let answered = false;
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received[connection] = `${received[connection] ?? ''}${chunk.toString('utf8')}`;
      if (answered || !isComplete(received[connection])) return;
      answered = true;
      onRequest(socket, received[connection]);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A server that calls `onConnection` for each new connection. */
export async function startSocketServer(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function isComplete(request: string): boolean {
  const [head, body] = request.split('\r\n\r\n');
  if (head === undefined || body === undefined) return false;
  const length = /content-length: (\d+)/i.exec(head);
  return !length || Buffer.byteLength(body) >= Number(length[1]);
}

export function answer(status: string, body = '', headers: string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body];
  return lines.join('\r\n');
}
