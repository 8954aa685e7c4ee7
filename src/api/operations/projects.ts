import { z } from 'zod';
import { fillPath, type Operation, PROJECT_PATH, opaqueId } from '../operation';
import { isRecord, valueAt } from '../json';

const project = { resourcetype: opaqueId, id: opaqueId };

/** A custom check: a zod record would drop a member called `__proto__`, which is data too. */
const data = z.custom<Record<string, unknown>>(isRecord, 'must be an object');

const readRequest = z.strictObject(project);

const readResponse = z.object({
  document: z.unknown(),
  /** The project's `data`; null where the answer has no object there. */
  data: data.nullable(),
  /** Sent back as `If-Match` where the service gives one. */
  etag: z.string().nullable(),
  /** A number in the answer that sending it back would change. */
  inexact: z.string().nullable(),
});

export const getProject: Operation<z.infer<typeof readRequest>, z.infer<typeof readResponse>> = {
  name: 'get project',
  request: readRequest,
  toHttp: (request, { projectPath }) => ({ method: 'GET', path: fillPath(projectPath, request) }),
  read: ({ body, text, etag }, { projectDataAt }) => {
    const found = valueAt(body, projectDataAt);
    return {
      document: body,
      data: isRecord(found) ? found : null,
      etag,
      inexact: inexactNumberIn(text) ?? null,
    };
  },
  response: readResponse,
};

const updateRequest = z.strictObject({
  ...project,
  /** Replaces what it names; `data` replaces the whole data object, so send it complete. */
  changes: z.strictObject({
    title: z.string().optional(),
    description: z.string().optional(),
    primary_type: z.string().optional(),
    data: data.optional(),
  }),
  ifMatch: z.string().optional(),
});

export const updateProject: Operation<z.infer<typeof updateRequest>, unknown> = {
  name: 'update project',
  request: updateRequest,
  toHttp: ({ changes, ifMatch, ...request }) => ({
    method: 'PATCH',
    path: fillPath(PROJECT_PATH, request),
    body: changes,
    ifMatch,
  }),
  mayBeEmpty: true,
  response: z.unknown(),
};

const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * The first number in a JSON text that JavaScript would write back as another: a large whole number, like an id of 64
 * bits, or one beyond the range. Fractions are not checked: their writer uses the same precision.
 */
function inexactNumberIn(json: string): string | undefined {
  for (const [token] of json.matchAll(TEXT_OR_NUMBER))
    if (!token.startsWith('"') && isInexact(token)) return token;
  return undefined;
}

function isInexact(token: string): boolean {
  const value = Number(token);
  return !Number.isFinite(value) || (/^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(value));
}
