import { type ServerResponse } from 'node:http';
import { type WireAnswer } from '../wire';

/** A request that a fault applies to. */
export interface Exchange {
  response: ServerResponse;
  /** The service's answer; for a fault `before` the request is applied, an error. */
  answer: WireAnswer;
  ms: number | undefined;
  status: number | undefined;
  /** Aborted when the rule is removed, and when the sandbox is reset or stops: a request that it delays continues. */
  released: AbortSignal;
}

export interface Fault {
  /** Whether it answers or closes the connection itself; otherwise the exchange continues after it. */
  ends: boolean;
  act: (exchange: Exchange) => Promise<void> | void;
}
