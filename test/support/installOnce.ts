import { createHash } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { underLock } from '@segue/devserver';
import { loadLocalTemporalConfig } from '../../src/config';

/** The folder of the cache with this tool, in the versions that a file locks. It is filled once, by one process. */
export async function installOnce(
  tool: string,
  lockFile: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const versions = createHash('sha256').update(await readFile(lockFile));
  const { cacheFolder } = loadLocalTemporalConfig();
  const folder = path.join(cacheFolder, `${tool}-${versions.digest('hex').slice(0, 12)}`);
  const complete = path.join(folder, 'complete');
  await underLock(
    folder,
    () => undefined,
    async () => {
      await access(complete).catch(() => install(folder));
      // Written last, so that an interrupted installation is repeated.
      await writeFile(complete, '');
    },
  );
  return folder;
}
