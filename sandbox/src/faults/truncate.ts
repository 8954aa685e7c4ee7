import { sendHead } from '../wire';
import { type Fault } from './fault';

/** Announces the whole body, sends half of it, and closes the connection. */
export const truncate: Fault = {
  ends: true,
  act({ response, answer }) {
    sendHead(response, answer);
    const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
    // The half must be sent before the connection closes: otherwise the client would see a reset without an answer.
    response.write(half, () => {
      response.req.socket.destroySoon();
    });
  },
};
