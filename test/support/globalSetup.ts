/** One dev server, one time-skipping server and one workflow bundle for the whole run. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { writeWorkflowBundle } from '../../src/bundle';
import { loadLocalTemporalConfig } from '../../src/config';
import { registerAll } from '../../src/registration';
import { type DevServer, startDevServer } from '../../src/temporal/devServer';
import { findTemporalBinary } from '../../src/temporal/find';
import { findTestServer, startTestServer, type TestServer } from '../../src/temporal/testServer';
import { publishShared } from './shared';

export interface Running {
  devServer: DevServer;
  testServer: TestServer;
  scratch: string;
}

declare global {
  var segueTestServers: Running | undefined;
}

export default async function globalSetup(): Promise<void> {
  // Tests never meet the caller's cluster or settings; only where the binary is may be told.
  for (const name of Object.keys(process.env)) {
    if (/^(TEMPORAL|SEGUE)_/.test(name) && name !== 'SEGUE_TEMPORAL_CLI')
      Reflect.deleteProperty(process.env, name);
  }
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const scratch = await mkdtemp(path.join(tmpdir(), 'segue-test-'));
  const bundlePath = path.join(scratch, 'workflow-bundle.js');
  const config = loadLocalTemporalConfig();
  const binary = await findTemporalBinary(config, say);
  const testServerExecutable = await findTestServer(config, say);
  const [devServer, testServer] = await Promise.all([
    startDevServer(binary.path, { uiPort: false }),
    startTestServer(testServerExecutable),
    writeWorkflowBundle(bundlePath),
  ]);
  const connection = await Connection.connect({ address: testServer.address });
  await registerAll(connection, 'default');
  await connection.close();
  globalThis.segueTestServers = { devServer, testServer, scratch };
  publishShared({
    devServerAddress: devServer.address,
    testServerAddress: testServer.address,
    temporalBinary: binary.path,
    bundlePath,
    scratch,
  });
}
