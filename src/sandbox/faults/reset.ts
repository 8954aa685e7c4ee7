import { type Fault } from './fault';

/** The connection is reset: the client sees ECONNRESET and no byte of an answer. */
export const reset: Fault = {
  ends: true,
  act({ response }) {
    response.socket?.resetAndDestroy();
  },
};
