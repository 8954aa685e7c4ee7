import { type Fault } from './fault';

/** The connection is reset: the client sees ECONNRESET and no byte of an answer. */
export const reset: Fault = {
  ends: true,
  act({ response }) {
    // The request's socket: a response has none while an earlier response on the same connection is not finished.
    response.req.socket.resetAndDestroy();
  },
};
