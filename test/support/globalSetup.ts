/** One dev server, one workflow bundle and the tools of some tests, for the whole run. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeWorkflowBundle } from '../../src/bundle';
import { loadLocalTemporalConfig } from '../../src/config';
import { type DevServer, startDevServer } from '../../src/temporal/devServer';
import { findTemporalBinary } from '../../src/temporal/find';
import { findTestServer } from '../../src/temporal/testServer';
import { findBrowser } from './browser';
import { findSchemathesis } from './schemathesis';
import { FOR_MANY_SMALL_TESTS } from './serverSettings';
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
  const [binary, testServerExecutable, browser, schemathesis] = await Promise.all([
    findTemporalBinary(config, say),
    findTestServer(config, say),
    findBrowser(config.cacheFolder, say),
    findSchemathesis(config.cacheFolder, say),
  ]);
  const [devServer] = await Promise.all([
    startDevServer(binary.path, { uiPort: false, dynamicConfig: FOR_MANY_SMALL_TESTS }),
    writeWorkflowBundle(bundlePath),
  ]);
  globalThis.segueTestServers = { devServer, scratch };
  for (const tool of [browser, schemathesis]) {
    if ('missing' in tool) say(`tests are skipped: ${tool.missing}`);
  }
  publishShared({
    devServerAddress: devServer.address,
    testServerExecutable,
    temporalBinary: binary.path,
    bundlePath,
    scratch,
    browser,
    schemathesis,
    full,
  });
}
