import { type WorkflowHandle } from '@temporalio/client';
import {
  type SkippingTemporal,
  startOwnDevServer,
  startTimeSkippingServer,
  type TestTemporal,
} from '../support/servers/temporal';

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

/** One on a server of its own, which wants histories to be no longer than so many events. */
export const whereHistoriesAreShort =
  (events: number, scenario: Scenario): Scenario =>
  async (_temporal, keep) => {
    const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': events };
    const own = await startOwnDevServer({ dynamicConfig });
    try {
      await scenario(own, keep);
    } finally {
      await own.close();
    }
  };

/** The same, of which the run before the kept one is kept: it ends by continuing as new. */
export const handingOver =
  (scenario: Scenario): Scenario =>
  (temporal, keep) =>
    scenario(temporal, async (run) => {
      const { events } = await run.fetchHistory();
      const before = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
      if (!before) throw new Error(`no run of ${run.workflowId} has handed over to this one`);
      await keep(run.client.getHandle(run.workflowId, before));
    });
