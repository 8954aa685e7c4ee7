/** What the documents tell people to type is there. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command } from 'commander';
import { segueCommand } from '../../../src/cli/main';
import { documentedCommands } from '../../support/documentation';

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
  const named = documentedCommands(/^npm (run )?(?!ci\b)/).map(({ words }) => words[0]);
  expect(named).toContain('test');
  expect(named.filter((name) => name === undefined || !(name in scripts))).toEqual([]);
});

test('every file that the README links to is there', () => {
  const root = path.resolve(__dirname, '../../..');
  const links = [...readFileSync(path.join(root, 'README.md'), 'utf8').matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)];
  expect(links.length).toBeGreaterThan(10);
  expect(links.map(([, file = '']) => file).filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});
