/** One dev server and one workflow bundle for the whole run. Other tools are installed by the tests that use them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DevServer, findTemporalBinary } from '@segue/devserver';
import { startDevServer } from '../servers/devServer';
import { writeWorkflowBundle } from '../../../src/temporal/bundle';
import { loadLocalTemporalConfig } from '../../../src/config';
import { FOR_MANY_SMALL_TESTS } from '../servers/serverSettings';
import { publishShared } from './shared';

export interface Running {
  devServer: DevServer;
  scratch: string;
}

declare global {
  var segueTestServers: Running | undefined;
}

export default async function globalSetup(): Promise<void> {
  const full = process.env.SEGUE_TEST_FULL === '1';
  // Tests ignore TEMPORAL_* and SEGUE_* of the caller, except SEGUE_TEMPORAL_CLI and SEGUE_TEST_FULL.
  for (const name of Object.keys(process.env)) {
    if (/^(TEMPORAL|SEGUE)_/.test(name) && name !== 'SEGUE_TEMPORAL_CLI')
      Reflect.deleteProperty(process.env, name);
  }
  // A Temporal server that collects garbage less often takes about a fifth less CPU.
  process.env.GOGC ??= '400';
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const scratch = await mkdtemp(path.join(tmpdir(), 'segue-test-'));
  const bundlePath = path.join(scratch, 'workflow-bundle.js');
  const config = loadLocalTemporalConfig();
  const binary = await findTemporalBinary(config, say);
  const [devServer] = await Promise.all([
    startDevServer(binary.path, { uiPort: false, dynamicConfig: FOR_MANY_SMALL_TESTS }),
    writeWorkflowBundle(bundlePath),
  ]);
  globalThis.segueTestServers = { devServer, scratch };
  publishShared({
    devServerAddress: devServer.address,
    temporalBinary: binary.path,
    bundlePath,
    scratch,
    full,
  });
}
