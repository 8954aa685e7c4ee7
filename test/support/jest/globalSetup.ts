/** A dev server for each jest worker and one workflow bundle for the whole run. Other tools are installed by the tests that use them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeWorkflowBundle } from '../../../src/temporal/bundle';
import { loadLocalTemporalConfig } from '../../../src/config';
import { type DevServer, startDevServer } from '../../../src/temporal/devServer';
import { findTemporalBinary } from '../../../src/temporal/find';
import { FOR_MANY_SMALL_TESTS } from '../servers/serverSettings';
import { publishShared } from './shared';

export interface Running {
  devServers: DevServer[];
  scratch: string;
}

declare global {
  var segueTestServers: Running | undefined;
}

export default async function globalSetup({ maxWorkers }: { maxWorkers: number }): Promise<void> {
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
  const options = { uiPort: false as const, dynamicConfig: FOR_MANY_SMALL_TESTS };
  const [devServers] = await Promise.all([
    Promise.all(Array.from({ length: maxWorkers }, () => startDevServer(binary.path, options))),
    writeWorkflowBundle(bundlePath),
  ]);
  globalThis.segueTestServers = { devServers, scratch };
  publishShared({
    devServerAddresses: devServers.map(({ address }) => address),
    temporalBinary: binary.path,
    bundlePath,
    scratch,
    full,
  });
}
