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

/** The same, of which an earlier run is kept, one that ends by continuing as new: the last that ran this activity, if one is named. */
export const handingOver =
  (scenario: Scenario, activity?: string): Scenario =>
  (temporal, keep) =>
    scenario(temporal, async (run) => {
      const { workflowId, client } = run;
      let { events } = await run.fetchHistory();
      for (;;) {
        const runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
        if (!runId) throw new Error(`no run of ${workflowId} continued as new like this`);
        const earlier = client.getHandle(workflowId, runId);
        ({ events } = await earlier.fetchHistory());
        const isWanted = events?.some(
          ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === activity,
        );
        if (activity === undefined || isWanted) return keep(earlier);
      }
    });
