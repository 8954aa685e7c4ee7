/** What the documents tell people to type is there. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command } from 'commander';
import { mediaTools } from '../../../src/api/tools';
import { segueCommand } from '../../../src/cli/main';
import { unknownSettings } from '../../../src/config';
import { BATCH_STAGES, CAMPAIGN_STAGES, FAILURE, MEDIA_STAGES } from '../../../src/contract';
import { documentedCommands, DOCUMENTS } from '../../support/documentation';

/** Reads the flags of a command as it does, and then does nothing. */
function withoutActions(command: Command): Command {
  for (const child of command.commands) withoutActions(child.action(() => undefined));
  return command;
}

const segue = documentedCommands(/^(\.\/bin\/)?segue /);

test.each(segue.map(({ document, words }) => [words.join(' '), document, words] as const))(
  'segue %s (%s) is a command with these arguments and flags',
  async (_line, _document, words) => {
    const program = withoutActions(await segueCommand(words[0]));
    await expect(program.parseAsync(['node', 'segue', ...words])).resolves.toBe(program);
  },
);

test('every npm script in the documents is there', () => {
  const { scripts } = JSON.parse(readFileSync(path.resolve(__dirname, '../../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = documentedCommands(/^npm (run )?(?!(ci|pack|install)\b)/).map(({ words }) => words[0]);
  expect(named).toContain('test');
  expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
});

const root = path.resolve(__dirname, '../../..');

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
  const documented = readFileSync(path.join(root, 'docs/commands.md'), 'utf8');
  const commands = namesOf(await segueCommand());
  expect(commands).toContain('segue batch retry');
  expect(commands.filter((command) => !documented.includes(`| \`${command}`))).toEqual([]);
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
