/** The time-skipping test server: hours of timers pass in seconds. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import {
  downloadWithSdk,
  freePort,
  NoTemporalError,
  runToEnd,
  type Say,
  spawnTethered,
  stopProcess,
  underLock,
  untilServing,
  withoutTemporalSettings,
} from '@segue/devserver';
import { type LocalTemporalConfig } from '../../../src/config';

/** The same version as in the POM. */
export const TEST_SERVER_VERSION = '1.32.1';
export const POM = path.join(__dirname, 'testServer.pom.xml');

/** An executable that takes a port and serves there: the SDK's download, else a script around the jars from Maven. */
export async function findTestServer(config: LocalTemporalConfig, say: Say): Promise<string> {
  const folder = path.join(config.cacheFolder, `temporal-test-server-${TEST_SERVER_VERSION}`);
  const executable = path.join(folder, 'test-server');
  const waiting = (): void => {
    say('another start is getting the time-skipping test server; waiting for it');
  };
  return underLock(folder, waiting, async () => {
    if ((await readdir(folder)).includes('test-server')) return executable;
    const noDownload = await downloadWithSdk('time-skipping', executable, config.proxy);
    if (noDownload === undefined) return executable;
    say(`no download (${noDownload}); getting the time-skipping test server from Maven, once`);
    await resolveWithMaven(folder, executable);
    return executable;
  });
}

async function resolveWithMaven(folder: string, executable: string): Promise<void> {
  const jars = path.join(folder, 'jars');
  await rm(jars, { recursive: true, force: true });
  await mkdir(jars, { recursive: true });
  const options = [`-DoutputDirectory=${jars}`, '-DincludeScope=runtime'];
  const problem = await runToEnd('mvn', [
    '-B',
    '-q',
    '-f',
    POM,
    'dependency:copy-dependencies',
    ...options,
  ]).then(
    ({ code, tail }) => (code === 0 ? undefined : tail.join('\n')),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem !== undefined) {
    throw new NoTemporalError(
      `The time-skipping test server cannot be had: ${problem}\nInstall Java 17 or newer and Maven, then try again.`,
    );
  }
  // Written last and renamed: if it exists, the jars are complete.
  await writeFile(`${executable}.unfinished`, launcher(jars), { mode: 0o755 });
  await rename(`${executable}.unfinished`, executable);
}

function launcher(jars: string): string {
  // Flags for a short-lived process: fast start, little memory.
  return `#!/bin/sh
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx512m \\
  -cp '${jars.replaceAll("'", `'\\''`)}/*' io.temporal.testserver.TestServer "$@"
`;
}

export interface TestServer {
  address: string;
  process: ChildProcess;
  stop: () => Promise<void>;
}

export async function startTestServer(executable: string): Promise<TestServer> {
  const port = await freePort();
  const child = spawnTethered(executable, [String(port)], { env: withoutTemporalSettings() });
  await untilServing(child, 'The time-skipping test server', () => connectOnce(port));
  return { address: `127.0.0.1:${port}`, process: child, stop: () => stopProcess(child) };
}

async function connectOnce(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
