/** What unit tests share. They need neither the dev server nor the bundle, which take longer than most of them. */
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { publishShared } from '../support/jest/shared';

export default async function unitSetup(): Promise<void> {
  // In the copy of the checkout, which is removed as a whole.
  const scratch = await mkdtemp(path.join(process.cwd(), 'scratch-'));
  publishShared({ devServerAddresses: [], temporalBinary: '', bundlePath: '', scratch, full: false });
}
