import { type Fault } from './fault';

/** The connection is reset: the client sees ECONNRESET and no byte of an answer. */
export const reset: Fault = {
  ends: true,
  act({ response }) {
    // Of the request: an answer has none while an earlier one on the same connection is awaited.
    response.req.socket.resetAndDestroy();
  },
};
