import { z } from 'zod';
import { type ExchangeLimits } from './exchange';
import { isId } from './scope';

export const PROJECT_PATH = '/api/v1/projects/{resourcetype}/{id}';

/** What the API's document does not say, and settings add. */
export interface ServiceLayout {
  /** Where a project is read; the path of its update by default. */
  projectPath: string;
  /** Pointer to `data` in the answer of a project read. */
  projectDataAt: string;
  /** Pointers to the list in a page of drafts or activity, where Segue cannot find it. */
  draftsAt?: string;
  activityAt?: string;
  assetPath?: string;
  runPath?: string;
  videoPath?: string;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Sent only if the service still holds what this ETag was given for. */
  ifMatch?: string;
}

/** Thrown by an operation whose setting is missing or wrong. */
export class MissingSetting extends Error {
  constructor(
    readonly setting: string,
    readonly problem: string,
  ) {
    super(problem);
  }
}

export interface Answered {
  /** The parsed body; for an operation with `text`, the body itself. */
  body: unknown;
  /** The same as it came. */
  text: string;
  etag: string | null;
}

export interface Operation<Request, Response> {
  /** Its name in the API's document and in every error. */
  name: string;
  request: z.ZodType<Request>;
  /** Written as a method, so that every operation is also an {@link AnyOperation}. */
  toHttp(request: Request, layout: ServiceLayout): HttpRequest;
  /** The part of the answer that is acted on, checked; unknown fields are kept. */
  response: z.ZodType<Response>;
  /** Brings what was answered into the form that `response` checks; the body as it is when left out. */
  read?: (answered: Answered, layout: ServiceLayout) => unknown;
  text?: boolean;
  /** What is read of an answer that is too large to keep, see {@link ExchangeLimits}. */
  members?: ExchangeLimits['members'];
  /** An empty body is a valid answer. */
  mayBeEmpty?: boolean;
  /** What a 404 of this operation most often means. */
  onNotFound?: string;
}

export type AnyOperation = Operation<unknown, unknown>;
export type RequestOf<O> = O extends Operation<infer Request, unknown> ? Request : never;
export type ResponseOf<O> = O extends { response: z.ZodType<infer Response> } ? Response : never;

/** Fills a path template; every parameter is encoded. */
export function fillPath(template: string, parameters: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(parameters[name] ?? ''));
}

/** Fields that several operations share. What is checked is what is sent: nothing is trimmed on the way. */
export const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** Ids of projects, tasks, runs and assets are the service's business. */
export const opaqueId = z.string().refine(isId, 'must be an id: not empty, no blanks around it');

export const uuid = z.guid({ error: 'must be a UUID' });

export const pageNumber = z.int().min(1, 'must be 1 or more');
