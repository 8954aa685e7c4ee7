/** Writes the text of `segue --help`, which is then shown without loading all commands. Run by `npm run build`. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { segueCommand } from './main';

const HELP_FILE = path.resolve(__dirname, '../help.txt');

async function writeHelp(): Promise<void> {
  let text = '';
  const program = await segueCommand();
  program.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  program.outputHelp();
  writeFileSync(HELP_FILE, text);
}

if (require.main === module) void writeHelp();
