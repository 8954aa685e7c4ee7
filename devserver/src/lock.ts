/** Locks of folders, between processes. The lock of a killed process becomes stale. */
import { mkdir } from 'node:fs/promises';
import { lock } from 'proper-lockfile';

/**
 * Runs `work` in one process at a time. A lock whose holder died is taken over after ten seconds, so waiting is
 * bounded by the work itself.
 */
export async function underLock<T>(folder: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const options = { stale: 10_000, update: 2_000 };
  const release = await lock(folder, options).catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    onWait();
    return lock(folder, { ...options, retries: { forever: true, minTimeout: 250, maxTimeout: 1_000 } });
  });
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Locks the folder until the returned function is called. Undefined while another process has it. */
export async function claimFolder(folder: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(folder, { recursive: true });
  // The lock of a killed process stays for some seconds.
  const retries = { retries: 7, factor: 1, minTimeout: 1_000 };
  return lock(folder, { stale: 5_000, update: 1_000, retries }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
    return undefined;
  });
}
