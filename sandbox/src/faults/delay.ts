import { type Fault } from './fault';
import { pause } from './waiting';

/** Waits for `ms` (default 1 s). `before`: then the request is applied, even if the client is gone by then. */
export const delay: Fault = {
  ends: false,
  async act({ ms = 1_000, released }) {
    await pause(ms, released);
  },
};
