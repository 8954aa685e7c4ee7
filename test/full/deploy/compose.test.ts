import path from 'node:path';
import { runToEnd } from '@segue/devserver';
import { findComposeTool } from '../../support/deploy/composeTool';

const COMPOSE_FILE = path.resolve(__dirname, '../../../docker-compose.yml');

/** What a first run may take to download the modules and build the tool. */
const BUILD_MS = 1_200_000;

test(
  'the compose tool accepts the compose file without a word, and finds its services in the profile dev',
  async () => {
    const tool = await findComposeTool();
    const compose = ['-f', COMPOSE_FILE, '--profile', 'dev'];
    expect(await runToEnd(tool, [...compose, 'config', '--quiet'])).toEqual({ code: 0, tail: [] });
    const { code, tail } = await runToEnd(tool, [...compose, 'config', '--services']);
    expect({ code, services: tail.sort() }).toEqual({
      code: 0,
      services: ['sandbox', 'setup', 'temporal', 'worker'],
    });
  },
  BUILD_MS,
);
