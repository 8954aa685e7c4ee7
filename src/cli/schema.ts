import { type Command } from 'commander';
import { mediaTools, requestJsonSchema } from '../api/tools';
import { print, UsageError } from './lib/io';
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

const FIRINGS = 'what a schedule hands to each firing: a campaign, an outlook or a batch';

function schemas(): Map<string, Described> {
  // Loaded when one is asked for: it loads the Temporal client too.
  const ofRuns = () => import('../runs/schemas.js');
  const all: [string, string, () => unknown][] = [
    ['campaign', 'the spec of a campaign', async () => (await ofRuns()).campaignJsonSchema()],
    ['outlook', 'the spec of an outlook', async () => (await ofRuns()).outlookJsonSchema()],
    ['schedule', FIRINGS, async () => (await ofRuns()).scheduleJsonSchema()],
  ];
  for (const [name, tool] of Object.entries(mediaTools))
    all.push([name, `the request of a tool: ${tool.about}`, () => requestJsonSchema(tool)]);
  return new Map(all.map(([name, about, schema]) => [name, { about, schema }]));
}
