/** Sends answers. */
import { type ServerResponse } from 'node:http';

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): WireAnswer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}

/** Sends the status line and the headers of the whole answer; its body is up to the caller. */
export function sendHead(response: ServerResponse, { status, headers, body }: WireAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
}

export function sendWhole(response: ServerResponse, answer: WireAnswer): void {
  sendHead(response, answer);
  response.end(answer.body);
}
