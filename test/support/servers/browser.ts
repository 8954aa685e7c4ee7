/** A real browser: the system's Chromium, installed where it is missing and can be. */
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { runToEnd, underLock } from '@segue/devserver';
import { loadLocalTemporalConfig } from '../../../src/config';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Throws an error with the reason if there is no browser and none can be installed. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = (await lookForBrowser()) ?? (await installBrowser());
  // Chromium's own sandbox does not work for root.
  return chromium.launch({ executablePath, args: isRoot() ? ['--no-sandbox'] : [] });
}

async function installBrowser(): Promise<string> {
  if (!isRoot()) throw new Error(`there is no ${PLACES.join(', ')}, and only root can install Chromium`);
  const folder = path.join(loadLocalTemporalConfig().cacheFolder, 'chromium');
  return underLock(
    folder,
    () => undefined,
    async () => {
      // Another process may have finished the work while this one waited for the lock.
      if ((await lookForBrowser()) === undefined) await install(folder);
      const installed = await lookForBrowser();
      if (installed === undefined) throw new Error('Chromium was installed and is not where it should be');
      return installed;
    },
  );
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

async function install(folder: string): Promise<void> {
  const log = path.join(folder, 'apt-get.log');
  const lines: string[] = [];
  try {
    for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'chromium']]) {
      const { code } = await runToEnd('apt-get', args, {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        onLine: (line) => lines.push(line),
      });
      if (code !== 0)
        throw new Error(`apt-get ${args[0] ?? ''} ended with ${code ?? 'a signal'}, see ${log}`);
    }
  } finally {
    await writeFile(log, `${lines.join('\n')}\n`);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
