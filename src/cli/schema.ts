import { type Command } from 'commander';
import { findTool, mediaTools, requestJsonSchema } from '../api/tools';
import { UsageError } from './exit';
import { print } from './print';

export function addTo(program: Command): void {
  program
    .command('schema <tool>')
    .description(`print the JSON Schema of a tool's request: ${Object.keys(mediaTools).join(', ')}`)
    .action((name: string) => {
      const tool = findTool(name);
      if (!tool) throw new UsageError(`"${name}" is none of ${Object.keys(mediaTools).join(', ')}`);
      print(JSON.stringify(requestJsonSchema(tool), null, 2));
    });
}
