import { z } from 'zod';
import { fillPath, type Operation, PROJECT_PATH } from '../operation';
import { inexactNumberIn } from '../numbers';
import { valueAt } from '../pointer';
import { opaqueId } from './fields';

const project = { resourcetype: opaqueId, id: opaqueId };

/** Taken and given as it is: a schema of records would drop a member called `__proto__`, and that is data too. */
const data = z.custom<Record<string, unknown>>(isObject, 'must be an object');

const readRequest = z.strictObject(project);

const readResponse = z.object({
  /** The answer, whole. */
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
  ask: (request, { projectPath }) => ({ method: 'GET', path: fillPath(projectPath, request) }),
  read: ({ body, text, etag }, { projectDataAt }) => {
    const found = valueAt(body, projectDataAt);
    return {
      document: body,
      data: isObject(found) ? found : null,
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
  /** The ETag of the read that this update rests on. */
  ifMatch: z.string().optional(),
});

export const updateProject: Operation<z.infer<typeof updateRequest>, unknown> = {
  name: 'update project',
  request: updateRequest,
  ask: ({ changes, ifMatch, ...request }) => ({
    method: 'PATCH',
    path: fillPath(PROJECT_PATH, request),
    body: changes,
    ifMatch,
  }),
  mayBeEmpty: true,
  response: z.unknown(),
};

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
