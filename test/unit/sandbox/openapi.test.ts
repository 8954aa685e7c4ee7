import { createConfig, lintFromString } from '@redocly/openapi-core';
import { operations } from '../../../sandbox/src/operations';
import { type Sandbox, startSandbox } from '../../../sandbox/src/server';

interface Content {
  content: Record<string, { schema?: object }>;
}

interface Described {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string; schema?: object }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
}

let sandbox: Sandbox;
let source: string;
let document: Document;

beforeAll(async () => {
  sandbox = await startSandbox();
  source = await (await fetch(`${sandbox.url}/openapi.json`)).text();
  document = JSON.parse(source) as Document;
});

afterAll(() => sandbox.stop());

async function lint(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, config });
  return problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
}

describe("the sandbox's OpenAPI document", () => {
  test('has no error and no warning of the recommended rules', async () => {
    expect(await lint(source)).toEqual([]);
  });

  test('would not get away with less', async () => {
    expect(await lint(source.replaceAll('"operationId":"get-voice",', ''))).toEqual([
      expect.stringContaining('operation-operationId'),
    ]);
  });

  test('has every operation, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${url} ${operationId}`),
    );
    const served = operations.map(({ method, url, name }) => `${method.toLowerCase()} ${url} ${name}`);
    expect(described.toSorted()).toEqual(served.toSorted());
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s is described with the schema of every part and every answer',
    (_name, { method, url, path, answers }) => {
      const described = document.paths[url]?.[method.toLowerCase()];
      if (!described) throw new Error(`${method} ${url} is not described`);
      const { parameters = [], requestBody, responses } = described;
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath.toSorted()).toEqual(Object.keys(path.shape).toSorted());
      expect(parameters.filter(({ schema }) => !schema)).toEqual([]);
      expect(requestBody?.content['application/json']?.schema !== undefined).toBe(method !== 'GET');
      expect(Object.keys(responses)).toEqual(
        expect.arrayContaining([...Object.keys(answers), '400', '401', '404']),
      );
      for (const { content } of Object.values(responses)) {
        expect(Object.values(content)).toEqual([{ schema: expect.any(Object) }]);
      }
    },
  );
});
