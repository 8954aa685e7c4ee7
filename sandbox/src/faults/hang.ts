import { type Fault } from './fault';
import { pause, untilClosed } from './waiting';

/** Nothing is answered: until the client gives up or, with `ms`, until the connection is closed after that long. */
export const hang: Fault = {
  ends: true,
  async act({ response, ms, released }) {
    await Promise.race([untilClosed(response, released), ...(ms === undefined ? [] : [pause(ms, released)])]);
    response.destroy();
  },
};
