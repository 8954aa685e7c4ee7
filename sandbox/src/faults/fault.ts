import { type ServerResponse } from 'node:http';
import { type WireAnswer } from '../wire';

/** One request that a fault befalls. */
export interface Exchange {
  response: ServerResponse;
  /** What the service answers; before it applied the request, an error that says so. */
  answer: WireAnswer;
  ms: number | undefined;
  status: number | undefined;
  /** Aborted when the rule is taken away, and when the sandbox is reset or stops: what it holds back is let go. */
  released: AbortSignal;
}

export interface Fault {
  /** Whether it answers or cuts the line itself; else the exchange goes on when it has acted. */
  ends: boolean;
  act: (exchange: Exchange) => Promise<void> | void;
}
