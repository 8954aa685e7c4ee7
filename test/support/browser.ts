/** A real browser: the system's Chromium, installed where it is missing and can be. */
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { underLock } from '../../src/temporal/lock';
import { runToEnd } from '../../src/temporal/process';
import { type Tool } from './tool';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function findBrowser(cacheFolder: string, say: (line: string) => void): Promise<Tool> {
  const found = await lookForBrowser();
  if (found !== undefined) return { path: found };
  if (!isRoot()) return { missing: `there is no ${PLACES.join(', ')}, and only root can install Chromium` };
  const folder = path.join(cacheFolder, 'chromium');
  const waiting = (): void => {
    say('another run is installing Chromium; waiting for it');
  };
  return underLock(folder, waiting, async () => {
    // Whoever held the lock before us may have done the work.
    const problem = (await lookForBrowser()) === undefined ? await install(folder, say) : undefined;
    const installed = await lookForBrowser();
    return installed === undefined
      ? { missing: `Chromium cannot be installed: ${problem ?? 'it is not where it should be'}` }
      : { path: installed };
  });
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox does not work for root.
  return chromium.launch({ executablePath, args: isRoot() ? ['--no-sandbox'] : [] });
}

async function lookForBrowser(): Promise<string | undefined> {
  for (const place of PLACES) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** Undefined when it went well; else why not. */
async function install(folder: string, say: (line: string) => void): Promise<string | undefined> {
  const log = path.join(folder, 'apt-get.log');
  say(`installing Chromium with apt-get, once; see ${log}`);
  const lines: string[] = [];
  try {
    for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
      const { code } = await runToEnd('apt-get', args, {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        onLine: (line) => lines.push(line),
      });
      if (code !== 0) return `apt-get ${args[0] ?? ''} ended with ${code ?? 'a signal'}, see ${log}`;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await writeFile(log, `${lines.join('\n')}\n`);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
