/** The OpenAPI document, generated from the schemas that check requests. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import { type AnswerDescription, type Operation, problem } from './operation';
import { operations } from './operations';

const { version } = JSON.parse(readFileSync(path.resolve(__dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};

const scopeHeaders = z.object({
  Organization: z.string().optional().describe('ID of the workspace; else the one of the credential'),
  Space: z.string().optional().describe('ID of a sub-space'),
});

const PROBLEMS: Record<number, string> = {
  400: 'The request is invalid; every problem is listed.',
  401: 'Missing or invalid credential.',
  403: 'The credential lacks the permission.',
  404: 'Not there, or not for this workspace and space.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
};

export function openApiDocument(origin: string): unknown {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const operation of operations) {
    (paths[operation.url] ??= {})[operation.method.toLowerCase()] = describe(operation);
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Segue sandbox',
      version,
      description:
        'The media, workspace, project and notification API, on loopback. What its document does not show is made up here, and said so.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin }],
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Api-Key <API_KEY>`',
        },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  });
}

function describe(operation: Operation): ZodOpenApiOperationObject {
  const { name, summary, invented, path, query, headers, body, method, answers } = operation;
  return {
    operationId: name,
    summary,
    ...(invented === undefined ? {} : { description: `Made up by the sandbox: ${invented}.` }),
    requestParams: {
      path,
      query,
      header: headers ? scopeHeaders.extend(headers.shape) : scopeHeaders,
    },
    ...(method === 'GET'
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: { ...described(answers), ...problemsOf(operation) },
  };
}

function described(answers: Record<number, AnswerDescription>): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(answers).map(
      ([status, { description, schema, contentType = 'application/json', headers }]) => [
        status,
        { description, ...(headers ? { headers } : {}), content: { [contentType]: { schema } } },
      ],
    ),
  );
}

/** Answers that all operations of a kind have. */
function problemsOf({ method, kind, answers }: Operation): ZodOpenApiResponsesObject {
  const statuses = [
    400,
    401,
    404,
    ...(method === 'GET' ? [] : [413, 415]),
    ...(kind === 'notify' ? [403] : []),
  ];
  return Object.fromEntries(
    statuses
      .filter((status) => !(status in answers))
      .map((status) => [
        String(status),
        {
          description: PROBLEMS[status] ?? '',
          content: { 'application/json': { schema: problem } },
        },
      ]),
  );
}
