/** What is wrong with what people type about schedules is one message, before Temporal is asked. */
import { expectRefused } from '../../support/builders/refused';
import { segue } from '../../support/servers/segueCommand';

const BAD_NAME = /^NAME: must be 1 to 100 letters/;

test.each<[string, string[], (string | RegExp)[]]>([
  [
    'backfill',
    ['a/b', '--from', 'x', '--to', '2999-01-01T00:00:00Z', '--overlap', 'z'],
    [
      'Nothing was backfilled:',
      BAD_NAME,
      /^--from: must be a time with its zone/,
      /^--overlap: must be skip,/,
      '--to: is in the future, and will fire by itself',
    ],
  ],
  ['backfill', ['a/b'], ['Nothing was backfilled:', BAD_NAME, /^--from: is required/, /^--to: is required/]],
  ['trigger', ['a/b', '--overlap', 'z'], ['Nothing was triggered:', BAD_NAME, /^--overlap: must be skip/]],
  ['pause', ['a/b', '--reason', ' '], ['Nothing was paused:', BAD_NAME, /^--reason: must be a text/]],
  ['pause', ['a/b'], ['Nothing was paused:', BAD_NAME]],
  ['resume', ['a/b', '--reason', ''], ['Nothing was resumed:', BAD_NAME, /^--reason: must be a text/]],
  ['show', ['a/b'], ['There is no such schedule:', BAD_NAME]],
  ['delete', ['a/b'], ['Nothing was deleted:', BAD_NAME]],
  [
    'create',
    ['a/b', 'media', 'x', '--every', '5'],
    [
      'Nothing was scheduled:',
      BAD_NAME,
      /^--every: must be a number with a unit/,
      'TARGET: "media" is not one of campaign, outlook, batch',
    ],
  ],
  [
    'create',
    ['a/b', 'outlook', '/nowhere.yaml', '--every', '1h', '--catchup', '5s', '--concurrency', '0'],
    [
      'Nothing was scheduled:',
      BAD_NAME,
      /^--catchup: must be .*, from 10s to/,
      '--concurrency: is for batches; for outlooks it is part of the spec',
      /^SPEC \/nowhere\.yaml: cannot be read: /,
    ],
  ],
  [
    'create',
    [
      ...['a', 'batch', 'ftp://example.com/', '--every', '1h'],
      ...['--concurrency', '20000', '--notify', 'x', '--space', 'ä'],
    ],
    [
      'Nothing was scheduled:',
      '--notify: "x" is not USER@WORKSPACE',
      /^MANIFEST_URL: must be an https/,
      /^--concurrency: must be a whole number/,
      /^--space: must be an id/,
    ],
  ],
  [
    'create',
    ['a', 'batch', 'https://example.com/', '--cron', 'CRON_TZ=UTC 0 2 * * *'],
    ['Nothing was scheduled:', /^--cron: "CRON_TZ=UTC 0 2 \* \* \*" is not a cron expression/],
  ],
  [
    'create',
    ['a', 'batch', 'https://example.com/', '--calendar', '{"hours":2}'],
    ['Nothing was scheduled:', /^--calendar: {"hours":2} is not a calendar of Temporal/],
  ],
])('%s %j', (command, args, lines) => expectRefused(['schedule', command, ...args], lines));

test.each(['create', 'list', 'show', 'pause', 'resume', 'trigger', 'backfill', 'delete'])(
  '%s --help tells how it ends',
  async (command) => {
    const { code, stdout } = await segue(['schedule', command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nExit: 0 done [^]* ·\s4 .*cannot be reached/);
  },
);
