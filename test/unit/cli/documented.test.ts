/** What the documents tell people to type is there. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, CommanderError } from 'commander';
import { mediaTools } from '../../../src/api/tools';
import { segueCommand } from '../../../src/cli/main';
import { unknownSettings } from '../../../src/config';
import { BATCH_STAGES, CAMPAIGN_STAGES, FAILURE, MEDIA_STAGES } from '../../../src/contract';
import { documentedCommands, DOCUMENTS, fillIn, isName } from '../../support/documentation';

/** Reads the flags of a command as it does, and then does nothing. */
function withoutActions(command: Command): Command {
  for (const child of command.commands) withoutActions(child.action(() => undefined));
  return command.configureOutput({ writeOut: () => undefined });
}

/** Gives the exit code; --help ends the command early, with 0. */
async function parse(program: Command, words: string[]): Promise<number> {
  try {
    await program.parseAsync(['node', 'segue', ...words]);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    throw error;
  }
}

const commands = DOCUMENTS.flatMap(documentedCommands);
const root = path.resolve(__dirname, '../../..');

test.each(
  commands.filter(({ program }) => program === 'segue').map((one) => [one.text, one.document, one] as const),
)('%s (%s) is a command with these arguments and flags', async (_text, _document, command) => {
  if (await isName(command)) return;
  const words = command.words.map((word) => fillIn(word, { TOOL: 'remove-background', COMMAND: 'held' }));
  const program = withoutActions(await segueCommand(words[0]));
  await expect(parse(program, words)).resolves.toBe(0);
});

test('every npm script and every test that the documents run is there', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = commands
    .filter(
      ({ program, words: [first = ''] }) => program === 'npm' && !['ci', 'pack', 'install'].includes(first),
    )
    .map(({ words: [first, second] }) => (first === 'run' ? second : first));
  expect(named).toContain('test:full');
  expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
  const tests = commands.filter(({ words }) => words[0] === 'jest').map(({ words }) => `${words[1]}.test.ts`);
  expect(tests.length).toBeGreaterThan(0);
  expect(tests.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test.each(DOCUMENTS)('every file that %s links to is there', (document) => {
  const text = readFileSync(path.join(root, document), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(([, file = '']) => file);
  const folder = path.join(root, path.dirname(document));
  expect(links.filter((file) => !existsSync(path.join(folder, file)))).toEqual([]);
});

test('the README links to a test for each promise', () => {
  const rows = readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/^\| P(\d) .*\.test\.ts\)/gm);
  expect([...rows].map(([, promise]) => promise)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
});

test('docs/commands.md names every command', async () => {
  const documented = documentedCommands('docs/commands.md').map(({ text }) => `${text} `);
  const commands = namesOf(await segueCommand());
  expect(commands).toContain('segue batch retry');
  const isDocumented = (name: string): boolean => documented.some((text) => text.startsWith(`${name} `));
  expect(commands.filter((name) => !isDocumented(name))).toEqual([]);
});

test('docs/runbook.md says what to do in each stage and for each error', () => {
  const text = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8');
  const named = [...MEDIA_STAGES, ...CAMPAIGN_STAGES, ...BATCH_STAGES, ...Object.values(FAILURE)];
  expect(named.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('every setting that docs/settings.md names is one of Segue', () => {
  const text = readFileSync(path.join(root, 'docs/settings.md'), 'utf8');
  const named = [...text.matchAll(/SEGUE_[A-Z_]+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(unknownSettings(Object.fromEntries(named.map((name) => [name, ''])))).toEqual([]);
});

/** Names of the commands without further ones; media tools are arguments for whoever reads. */
function namesOf(command: Command, parents = ''): string[] {
  const name = `${parents}${command.name()}`;
  const children = command.commands.filter((child) => !(child.name() in mediaTools));
  return children.length === 0 ? [name] : children.flatMap((child) => namesOf(child, `${name} `));
}
