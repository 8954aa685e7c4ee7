import { type Command } from 'commander';
import { mediaTools, requestJsonSchema } from '../api/tools';
import { print, UsageError } from './lib/io';
import { table } from './lib/format';

const FIRINGS = 'what a schedule hands to each firing: a campaign, an outlook or a batch';

export function addTo(program: Command): void {
  // Loaded when one is asked for: it loads the Temporal client too.
  const ofRuns = () => import('../runs/schemas.js');
  const schemas: [string, string, () => unknown][] = [
    ['campaign', 'the spec of a campaign', async () => (await ofRuns()).campaignJsonSchema()],
    ['outlook', 'the spec of an outlook', async () => (await ofRuns()).outlookJsonSchema()],
    ['schedule', FIRINGS, async () => (await ofRuns()).scheduleJsonSchema()],
  ];
  for (const [name, tool] of Object.entries(mediaTools))
    schemas.push([name, `the request of a tool: ${tool.about}`, () => requestJsonSchema(tool)]);
  const names = schemas.map(([name]) => name).join(', ');
  program
    .command('schema [name]')
    .description(`print the JSON Schema of what others write: ${names}; without a name, what there is`)
    .action(async (name: string | undefined) => {
      const [, , schema] = schemas.find(([known]) => known === name) ?? [];
      if (schema) print(JSON.stringify(await schema(), null, 2));
      else if (name === undefined) table(schemas.map(([known, about]) => [known, about])).forEach(print);
      else throw new UsageError(`"${name}" is not one of ${names}`);
    });
}
