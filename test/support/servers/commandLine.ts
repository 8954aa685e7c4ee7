/** What commands need: Temporal, a sandbox, a worker, and the settings for them. */
import { type StarterConfig } from '../../../src/config';
import { type Pace } from '../../../sandbox/src/pace';
import { type TestSandbox, useSandbox } from '../service/sandbox';
import { type Settings } from './segueProcess';
import { type TestTemporal, type TestWorkerOptions, testConfig, useTemporal, useWorker } from './temporal';

export interface CommandLine {
  temporal: TestTemporal;
  sandbox: TestSandbox;
  config: StarterConfig;
  /** The environment of a command. */
  settings: Settings;
}

interface CommandLineOptions extends TestWorkerOptions {
  openTemporal?: () => Promise<TestTemporal>;
  pace?: Pace;
  etags?: boolean;
}

/** Called at the top of a test file: everything runs from the first test to the last. */
export function useCommandLine({
  openTemporal,
  pace,
  etags,
  ...worker
}: CommandLineOptions = {}): CommandLine {
  const temporal = useTemporal(openTemporal);
  const sandbox = useSandbox({ pace: pace ?? { kind: 'polls', polls: 2 }, etags });
  const config = testConfig();
  useWorker(temporal, config, sandbox, worker);
  const settings: Settings = {
    SEGUE_TASK_QUEUE: config.taskQueue,
    SEGUE_POLL_MIN: '50ms',
    SEGUE_POLL_MAX: '100ms',
  };
  beforeAll(() => {
    settings.TEMPORAL_ADDRESS = temporal.address;
  });
  return { temporal, sandbox, config, settings };
}
