import { jsonAnswer, sendWhole } from '../wire';
import { type Fault } from './fault';

/** Answers with `status` (default 503); with `ms`, it sends that time as Retry-After. */
export const status: Fault = {
  ends: true,
  act({ response, status: asked = 503, ms }) {
    const retryAfter: Record<string, string> =
      ms === undefined ? {} : { 'retry-after': String(Math.ceil(ms / 1_000)) };
    sendWhole(response, jsonAnswer(asked, { detail: `a fault rule answers ${asked}` }, retryAfter));
  },
};
