/** The list of all commands, and the completion of a shell. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { segue } from '../../support/servers/segueCommand';

const run = promisify(execFile);
const BIN = path.resolve(__dirname, '../../../bin/segue');

test.each(['--help', '-h', 'help'])('segue %s lists every command as the build wrote it', async (flag) => {
  const { stdout } = await run(BIN, [flag]);
  const live = await segue(['--help']);
  const namesIn = (help: string): string[] =>
    [...help.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
  expect(namesIn(stdout)).toEqual(namesIn(live.stdout));
  expect(stdout).toContain('Exit: 0 done');
});

test.each([
  [['segue', 'ca'], ['campaign']],
  [
    ['segue', 'batch', 're'],
    ['results', 'resume', 'retry'],
  ],
  [['segue', 'batch', 'run', 'products.ndjson', '--not'], ['--notify']],
  [['segue', 'campaign', 'run', 'batch', '--jso'], ['--json']],
])('a shell completes %j', async (words, wanted) => {
  const { stdout: script } = await segue(['completion']);
  const line = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _segue; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', `${script}\n${line}`]);
  expect(stdout.trim().split(' ')).toEqual(wanted);
});
