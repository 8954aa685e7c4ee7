import { sendWhole } from '../wire';
import { type Fault } from './fault';

const GARBAGE = Buffer.from('<html>\u0000{"task_id": ', 'latin1');

/** The answer's status and headers, with a body that is not JSON although its content type says so. */
export const garbage: Fault = {
  ends: true,
  act({ response, answer, status = answer.status }) {
    sendWhole(response, { ...answer, status, body: GARBAGE });
  },
};
