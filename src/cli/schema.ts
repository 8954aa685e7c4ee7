import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command } from 'commander';
import { mediaTools, requestJsonSchema } from '../api/tools';
import { PACKAGE_ROOT } from '../platform/package';
import { print, UsageError } from './lib/io';
import { table } from './lib/format';

const FIRINGS = 'what a schedule hands to each firing: a campaign, an outlook or a batch';

type Schema = object;

/** What people and other languages write: by name, what it is, and its schema. */
function writtenSchemas(): [string, string, () => Schema | Promise<Schema>][] {
  // Loaded when one is asked for: it loads the Temporal client too.
  const ofRuns = () => import('../runs/schemas.js');
  const tools = Object.entries(mediaTools).map(([name, tool]): [string, string, () => Schema] => [
    name,
    `the request of a tool: ${tool.about}`,
    () => requestJsonSchema(tool),
  ]);
  return [
    ['campaign', 'the spec of a campaign', async () => (await ofRuns()).campaignJsonSchema()],
    ['outlook', 'the spec of an outlook', async () => (await ofRuns()).outlookJsonSchema()],
    ['schedule', FIRINGS, async () => (await ofRuns()).scheduleJsonSchema()],
    ['mediaRequest', 'the input of a media job', async () => (await ofRuns()).mediaRequestJsonSchema()],
    ['transcript', 'the input of a transcript', async () => (await ofRuns()).transcriptJsonSchema()],
    ['record', 'the input of a wait for a record', async () => (await ofRuns()).recordJsonSchema()],
    ...tools,
  ];
}

/** Results, and what signals, updates and queries take and answer. */
async function messageSchemas(): Promise<Map<string, Schema & { description?: string }>> {
  const text = await readFile(path.join(PACKAGE_ROOT, 'schemas/messages.json'), 'utf8');
  return new Map(Object.entries(JSON.parse(text) as Record<string, Schema>));
}

export function addTo(program: Command): void {
  program
    .command('schema [name]')
    .description(
      'print the JSON Schema of a spec, an input, a result or a message; without a name, what there is',
    )
    .action(async (name: string | undefined) => {
      const [written, messages] = [writtenSchemas(), await messageSchemas()];
      const about = [...messages].map(([known, { description = '' }]) => [known, description]);
      const all = [...written.map(([known, what]) => [known, what]), ...about];
      if (name === undefined) {
        table(all).forEach(print);
        return;
      }
      const [, , make] = written.find(([known]) => known === name) ?? [];
      const schema = make ? await make() : messages.get(name);
      if (!schema) throw new UsageError(`"${name}" is not one of ${all.map(([known]) => known).join(', ')}`);
      print(JSON.stringify(schema, null, 2));
    });
}
