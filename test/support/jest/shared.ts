/** What the global set-up made, for the processes that run the tests. */
export interface Shared {
  devServerAddress: string;
  temporalBinary: string;
  bundlePath: string;
  /** A folder that is removed after the run. */
  scratch: string;
  /** Whether SEGUE_TEST_FULL asks for tests at full size. */
  full: boolean;
}

const VARIABLE = 'TEST_SHARED';

export function publishShared(shared: Shared): void {
  process.env[VARIABLE] = JSON.stringify(shared);
}

export function shared(): Shared {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('the global set-up has not run');
  return JSON.parse(text) as Shared;
}
