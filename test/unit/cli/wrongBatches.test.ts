/** What is wrong with what people type about batches is one message, before Temporal is asked or a manifest is read. */
import path from 'node:path';
import { expectRefused } from '../../support/builders/refused';
import { segue } from '../../support/servers/segueCommand';

const NO_BATCH = 'KEY: "a/b" is neither a key nor the id of a batch';
const WRONG = ['--concurrency', '0', '--key', 'a/b', '--notify', 'x', '--space', 'ä'];
const WRONG_LINES = [
  'The batch was not started:',
  '--notify: "x" is not USER@WORKSPACE',
  /^--key: must be 1 to 120 letters/,
  /^--concurrency: must be a whole number from 1 to 10000$/,
  /^--space: must be an id/,
];

test.each<[string, string[], (string | RegExp)[]]>([
  [
    'run',
    ['/nowhere.ndjson', ...WRONG, '--timeout', '5'],
    [...WRONG_LINES, /^--timeout: "5" is not/, '/nowhere.ndjson: there is no such file'],
  ],
  ['start', ['ftp://example.com/x', ...WRONG], [...WRONG_LINES, /^ftp:.*: must be an https address/]],
  ['start', [__dirname, '--key', 'k'], ['The batch was not started:', /: it is a folder$/]],
  [
    // An address that nobody answers at would be another end.
    'start',
    ['https://127.0.0.1:1/x.ndjson', '--concurrency', '20000'],
    ['The batch was not started:', /^--key: is required/, /^--concurrency: must be a whole number/],
  ],
  [
    'run',
    [__filename, '--check', '--concurrency', 'many'],
    ['The batch was not started:', /^--concurrency: must/],
  ],
  ['follow', ['a/b', '--timeout', '5'], ['Nothing was asked:', NO_BATCH, /^--timeout: "5" is not/]],
  ['status', ['a/b'], ['Nothing was asked:', NO_BATCH]],
  ['results', ['a/b', '--at', '/x'], ['Nothing was read:', NO_BATCH, /^--at: /]],
  [
    'results',
    ['k', '--download', path.join(__filename, 'x'), '--at', '/x'],
    ['Nothing was done:', /^--download: .* cannot be used as a folder/],
  ],
  [
    'concurrency',
    ['a/b', '--to', '20000', '--by', ' '],
    ['Nothing was asked:', NO_BATCH, /^--by: must be the name of who/, /^--to: must be a whole number/],
  ],
  ['concurrency', ['a/b'], ['Nothing was asked:', NO_BATCH, '--to: is required']],
  ...['pause', 'resume', 'cancel'].map((name): [string, string[], (string | RegExp)[]] => [
    name,
    ['a/b', '--by', ' ', '--reason', 'x'.repeat(4_001)],
    ['Nothing was asked:', NO_BATCH, /^--by: must be/, /^--reason: must be a text/],
  ]),
  ['retry', ['a/b'], ['Nothing was asked:', NO_BATCH]],
  [
    'list',
    ['--limit', '0'],
    [/^error: .*--limit.* '0' is invalid\. It is not a whole number/, '(try --help)'],
  ],
  [
    'list',
    ['--stage', 'nowhere'],
    [/^error: .*--stage.* 'nowhere' is invalid\. Allowed choices are/, '(try --help)'],
  ],
])('%s %#', (command, args, lines) => expectRefused(['batch', command, ...args], lines));

test.each([
  ...['check', 'run', 'start', 'follow', 'status', 'results'],
  ...['pause', 'resume', 'concurrency', 'cancel', 'retry', 'list'],
])('%s --help tells how it ends', async (command) => {
  const { code, stdout } = await segue(['batch', command, '--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nExit: 0 done [^]* ·\s4 .*cannot be reached/);
});
