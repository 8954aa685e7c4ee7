import { type ServerResponse } from 'node:http';
import { type WireAnswer } from '../wire';

/** One request that a fault befalls. */
export interface Exchange {
  response: ServerResponse;
  /** What the service answers; before it applied the request, an error that says so. */
  answer: WireAnswer;
  ms: number | undefined;
  status: number | undefined;
  /** Aborted when the rule is removed, and when the sandbox is reset or stops: a request that it holds back continues. */
  released: AbortSignal;
}

export interface Fault {
  /** Whether it answers or closes the connection itself; otherwise the exchange continues after it. */
  ends: boolean;
  act: (exchange: Exchange) => Promise<void> | void;
}
