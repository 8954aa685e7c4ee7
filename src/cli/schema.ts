import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command } from 'commander';
import { mediaTools, requestJsonSchema } from '../api/tools';
import { PACKAGE_ROOT } from '../platform/package';
import { print, UsageError } from './lib/io';
import { table } from './lib/format';

/** A name, what it is, and its schema. */
type Entry = [name: string, about: string, schema: object];

/** What people and other languages write. */
async function inputSchemas(): Promise<Entry[]> {
  // Loaded here, because it also loads the Temporal client.
  const schemas = await import('../runs/schemas.js');
  const firings = 'what a schedule hands to each firing: a campaign, an outlook or a batch';
  return [
    ['campaign', 'the spec of a campaign', schemas.campaignJsonSchema()],
    ['outlook', 'the spec of an outlook', schemas.outlookJsonSchema()],
    ['schedule', firings, schemas.scheduleJsonSchema()],
    ['mediaRequest', 'the input of a media job', schemas.mediaRequestJsonSchema()],
    ['transcript', 'the input of a transcript', schemas.transcriptJsonSchema()],
    ['record', 'the input of a wait for a record', schemas.recordJsonSchema()],
    ...Object.entries(mediaTools).map(([name, tool]): Entry => [
      name,
      `the request of a tool: ${tool.about}`,
      requestJsonSchema(tool),
    ]),
  ];
}

/** Results, and what signals, updates and queries take and answer. */
async function messageSchemas(): Promise<Entry[]> {
  const text = await readFile(path.join(PACKAGE_ROOT, 'schemas/messages.json'), 'utf8');
  const schemas = Object.entries(JSON.parse(text) as Record<string, { description?: string }>);
  return schemas.map(([name, schema]) => [name, schema.description ?? '', schema]);
}

export function addTo(program: Command): void {
  program
    .command('schema [name]')
    .description(
      'print the JSON Schema of a spec, an input, a result or a message; without a name, what there is',
    )
    .action(async (name: string | undefined) => {
      const all = [...(await inputSchemas()), ...(await messageSchemas())];
      const [, , schema] = all.find(([known]) => known === name) ?? [];
      if (schema) print(JSON.stringify(schema, null, 2));
      else if (name === undefined) table(all.map(([known, about]) => [known, about])).forEach(print);
      else throw new UsageError(`"${name}" is not one of ${all.map(([known]) => known).join(', ')}`);
    });
}
