import { sendHead } from '../wire';
import { type Fault } from './fault';
import { pause } from './waiting';

/** The headers come at once, the body byte by byte over `ms` (5 s unless told). */
export const slowBody: Fault = {
  ends: true,
  async act({ response, answer, ms = 5_000, released }) {
    sendHead(response, answer);
    response.flushHeaders();
    for (const byte of answer.body) {
      await pause(ms / answer.body.length, released);
      if (response.destroyed) return;
      response.write(Uint8Array.of(byte));
    }
    response.end();
  },
};
