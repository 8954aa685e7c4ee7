import { type Command } from 'commander';
import { mediaTools, requestJsonSchema } from '../api/tools';
import { UsageError } from './lib/exit';
import { print } from './lib/io';
import { table } from './lib/format';

interface Described {
  about: string;
  schema: () => unknown;
}

export function addTo(program: Command): void {
  const described = schemas();
  const names = [...described.keys()].join(', ');
  program
    .command('schema [name]')
    .description(`print the JSON Schema of what others write: ${names}; without a name, what there is`)
    .action(async (name: string | undefined) => {
      if (name === undefined) {
        table([...described].map(([known, { about }]) => [known, about])).forEach(print);
        return;
      }
      const known = described.get(name);
      if (!known) throw new UsageError(`"${name}" is none of ${names}`);
      print(JSON.stringify(await known.schema(), null, 2));
    });
}

/** Loaded when one is asked for: it loads the Temporal client too. */
const runSchemas = () => import('../runs/schemas.js');

function schemas(): Map<string, Described> {
  const ofFirings = 'what a schedule hands to each firing: a campaign, an outlook or a batch';
  const tools = Object.entries(mediaTools).map(([name, tool]): [string, Described] => [
    name,
    { about: `the request of a tool: ${tool.about}`, schema: () => requestJsonSchema(tool) },
  ]);
  return new Map<string, Described>([
    [
      'campaign',
      { about: 'the spec of a campaign', schema: async () => (await runSchemas()).campaignJsonSchema() },
    ],
    [
      'outlook',
      { about: 'the spec of an outlook', schema: async () => (await runSchemas()).outlookJsonSchema() },
    ],
    ['schedule', { about: ofFirings, schema: async () => (await runSchemas()).scheduleJsonSchema() }],
    ...tools,
  ]);
}
