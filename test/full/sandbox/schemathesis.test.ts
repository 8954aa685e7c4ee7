import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { runToEnd } from '@segue/devserver';
import { operations } from '../../../sandbox/src/operations';
import { SANDBOX_KEY, startSandbox } from '../../../sandbox/src/server';
import { shared } from '../../support/jest/shared';
import { findSchemathesis } from '../../support/servers/schemathesis';

const FOLDER = path.join(__dirname, 'schemathesis');
const EXAMPLES = 200;

/** What a first run may take to install a tool. */
const INSTALL_MS = 600_000;

describe('Schemathesis', () => {
  let schemathesis: string;
  beforeAll(async () => {
    schemathesis = await findSchemathesis();
  }, INSTALL_MS);

  test.each([
    ['any scope', [], 1],
    // Where every request has a workspace, those that are refused are refused for what they ask.
    ['a scope that is there', ['Organization: 1', 'Space: 12'], 2],
  ])(
    'finds nothing that the OpenAPI document does not say, asking in %s',
    async (_case, scope, seed) => {
      const sandbox = await startSandbox({ pace: { kind: 'instant' } });
      const output: string[] = [];
      const headers = [`Authorization: Api-Key ${SANDBOX_KEY}`, ...scope];
      try {
        const { code } = await runToEnd(
          schemathesis,
          [
            ...['--no-color', '--config-file', path.join(FOLDER, 'schemathesis.toml')],
            ...['run', `${sandbox.url}/openapi.json`, '--checks', 'all'],
            ...['--max-examples', String(EXAMPLES), '--seed', String(seed), '--generation-database', 'none'],
            ...headers.flatMap((header) => ['--header', header]),
          ],
          {
            // It leaves a folder of its own where it runs, and bytecode where its hooks are.
            cwd: await mkdtemp(path.join(shared().scratch, 'schemathesis-')),
            env: { ...process.env, PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
            onLine: (line) => output.push(line),
          },
        );
        if (code !== 0) throw new Error(output.join('\n'));
        expect(output.join('\n')).toContain(`Tested: ${operations.length}\n`);
      } finally {
        await sandbox.stop();
      }
    },
    1_200_000,
  );
});
