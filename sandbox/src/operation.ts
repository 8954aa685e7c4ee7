/** An operation of the service: its request, its answers, and what it does. */
import { type IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Caller } from './access';
import { type Pictures } from './images/pictures';
import { type Kind } from './ledger';
import { type Pace } from './pace';
import { type Change, type State } from './state';

/** What every handler can use. */
export interface Service {
  readonly state: State;
  readonly pace: Pace;
  readonly pictures: Pictures;
  /** Whether projects have an ETag and If-Match is honoured; the document promises neither. */
  readonly etags: boolean;
  /** The address of this sandbox. */
  readonly origin: () => string;
}

export interface Asked<Path, Query, Body> {
  path: Path;
  query: Query;
  body: Body;
  caller: Caller;
  headers: IncomingHttpHeaders;
}

/** The service's decision: the answer and the changes. */
export interface Decision {
  status: number;
  body: unknown;
  /** Default: JSON. */
  contentType?: string;
  headers?: Record<string, string>;
  changes?: Change[];
  /** Goes into the ledger. */
  taskId?: string;
  lostKeys?: string[];
  content?: string;
}

export interface AnswerDescription {
  description: string;
  /** Of the body; with `contentType`, of a body that is not JSON. */
  schema: z.ZodType;
  contentType?: string;
  headers?: z.ZodObject;
}

export interface OperationOf<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  /** Its name in the ledger, in fault rules and in the OpenAPI document. */
  name: string;
  kind: Kind;
  method: 'GET' | 'POST' | 'PATCH';
  /** With `{names}` of its parameters. */
  url: string;
  summary: string;
  /** Which parts the API's document does not show, so that the sandbox made them up. */
  invented?: string;
  path: Path;
  query: Query;
  body: Body;
  /** Its headers, in addition to those that all operations take. */
  headers?: z.ZodObject;
  /** Only the operation's own answers; those of all operations are added in the OpenAPI document. */
  answers: Record<number, AnswerDescription>;
  /**
   * Decides without changing anything itself. If it is not asynchronous, nothing else happens between the decision and
   * its changes.
   */
  handle: (
    asked: Asked<z.output<Path>, z.output<Query>, z.output<Body>>,
    service: Service,
  ) => Decision | Promise<Decision>;
}

export type Operation = OperationOf<z.ZodObject, z.ZodObject, z.ZodType>;

const nothing = z.object({});

/** Adds the parts that an operation leaves out, and hides the exact type of its handler. */
export function defineOperation<
  Path extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(
  operation: Omit<OperationOf<Path, Query, Body>, 'path' | 'query' | 'body'> & {
    path?: Path;
    query?: Query;
    body?: Body;
  },
): Operation {
  return {
    ...operation,
    path: operation.path ?? nothing,
    query: operation.query ?? nothing,
    body: operation.body ?? z.undefined(),
    // The schemas of the same operation check what the handler gets.
    handle: operation.handle as Operation['handle'],
  };
}

export const problem = z
  .object({ detail: z.string(), errors: z.array(z.string()).optional() })
  .meta({ id: 'Problem', description: "An error. Its shape is the sandbox's own." });

export function refusal(status: number, detail: string, errors?: string[]): Decision {
  return { status, body: { detail, ...(errors ? { errors } : {}) } };
}

export function notFound(what: string): Decision {
  return refusal(404, `${what} not found`);
}

/** A path parameter or query value that is any text. */
export const text = z.string().min(1);

/** A whole number from 1, written in a query. */
export const count = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number from 1')
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 1, maximum: 999_999_999, pattern: undefined } });
