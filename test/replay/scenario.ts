import { type WorkflowHandle } from '@temporalio/client';
import { type SkippingTemporal, startTimeSkippingServer, type TestTemporal } from '../support/temporal';

/** Runs what is to be recorded and hands over its run as soon as its history is the one to keep. */
export type Scenario = (
  temporal: TestTemporal,
  keep: (run: WorkflowHandle) => Promise<void>,
) => Promise<void>;

/** One where hours pass in seconds, on a server of its own. */
export const whereTimeSkips =
  (scenario: (temporal: SkippingTemporal, keep: Parameters<Scenario>[1]) => Promise<void>): Scenario =>
  async (_temporal, keep) => {
    const temporal = await startTimeSkippingServer();
    await scenario(temporal, keep);
    await temporal.close();
  };
