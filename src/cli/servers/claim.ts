import { mkdir } from 'node:fs/promises';
import { lock } from 'proper-lockfile';
import { type Say } from '../../temporal/find';
import { UnreachableError } from '../lib/exit';

/** Makes a folder ours until the returned function is called: two servers on one file would destroy it. */
export async function claimFolder(folder: string, say: Say): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const options = { stale: 5_000, update: 1_000 };
  try {
    return await lock(folder, options);
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  // One that was killed leaves its mark for some seconds.
  say(`${folder} is in use, or was until a moment ago; waiting to see which`);
  try {
    return await lock(folder, { ...options, retries: { retries: 7, factor: 1, minTimeout: 1_000 } });
  } catch (error) {
    if (!isTaken(error)) throw error;
    throw new UnreachableError(
      `${folder} is in use by another segue; stop that one, or choose a folder with --state`,
    );
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ELOCKED';
}
