import { connect, type Socket } from 'node:net';
import { eventually } from '../eventually';

/** The bytes that one connection received. */
export class RawExchange {
  received = Buffer.alloc(0);
  /** How often something was received. */
  reads = 0;
  /** How the connection ended: `open`, `closed`, or the error's code. */
  state = 'open';

  private constructor(private readonly socket: Socket) {
    socket.on('data', (piece: Buffer) => {
      this.received = Buffer.concat([this.received, piece]);
      this.reads += 1;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.state = error.code ?? error.message;
    });
    socket.on('close', () => {
      if (this.state === 'open') this.state = 'closed';
    });
  }

  /** Sends one request as it is given. */
  static send(url: string, head: string[], body = ''): RawExchange {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const [line = '', ...headers] = head;
    socket.write([line, `Host: ${host}`, ...headers, ...length, '', body].join('\r\n'));
    return new RawExchange(socket);
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  get status(): number | undefined {
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(this.text) ?? [];
    return status === undefined ? undefined : Number(status);
  }

  get body(): string {
    return this.text.slice(this.text.indexOf('\r\n\r\n') + 4);
  }

  get announcedLength(): number {
    return Number(/content-length: (\d+)/i.exec(this.text)?.[1]);
  }

  untilClosed(): Promise<unknown> {
    return eventually('the end of the connection', () => this.state !== 'open');
  }

  untilAnswered(): Promise<unknown> {
    const isWhole = (): boolean => this.status !== undefined && this.body.length === this.announcedLength;
    return eventually('a whole answer', isWhole);
  }

  close(): void {
    this.socket.destroy();
  }
}
