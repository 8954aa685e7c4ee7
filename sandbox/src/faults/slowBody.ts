import { sendHead } from '../wire';
import { type Fault } from './fault';
import { pause } from './waiting';

/** Timers are not more precise: with shorter pauses a long body would take longer than requested. */
const SHORTEST_PAUSE_MS = 20;

/** The headers come immediately, the body piece by piece over `ms` (default 5 s). */
export const slowBody: Fault = {
  ends: true,
  async act({ response, answer, ms = 5_000, released }) {
    sendHead(response, answer);
    response.flushHeaders();
    const { length } = answer.body;
    const pieces = Math.min(length, Math.max(1, Math.floor(ms / SHORTEST_PAUSE_MS)));
    for (let piece = 0; piece < pieces; piece++) {
      await pause(ms / pieces, released);
      if (response.destroyed) return;
      response.write(answer.body.subarray((piece * length) / pieces, ((piece + 1) * length) / pieces));
    }
    response.end();
  },
};
