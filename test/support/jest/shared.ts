/** What the global set-up made, handed to the processes that run the tests. */
export interface Shared {
  /** One for each jest worker: all writers of a workspace have the same ids. */
  devServerAddresses: string[];
  temporalBinary: string;
  bundlePath: string;
  /** A folder that is removed after the run. */
  scratch: string;
  /** Whether SEGUE_TEST_FULL asks for more examples than everyone has the time for. */
  full: boolean;
}

const VARIABLE = 'TEST_SHARED';

export function publishShared(shared: Shared): void {
  process.env[VARIABLE] = JSON.stringify(shared);
}

/** Of the dev server that the files of this jest worker share. */
export function devServerAddress(): string {
  const { devServerAddresses } = shared();
  return devServerAddresses[(Number(process.env.JEST_WORKER_ID) - 1) % devServerAddresses.length] ?? '';
}

export function shared(): Shared {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('the global set-up has not run');
  return JSON.parse(text) as Shared;
}
