import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { type TestTemporal } from '../support/servers/temporal';
import { type HistoryJson } from './histories';
import { type Scenario } from './scenario';

/** The history that a scenario gives. */
export async function record(temporal: TestTemporal, scenario: Scenario): Promise<HistoryJson> {
  let recorded: HistoryJson | undefined;
  await scenario(temporal, async (run) => {
    const history = await run.fetchHistory();
    // The time-skipping server leaves it out.
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    if (started && !started.workflowId) started.workflowId = run.workflowId;
    recorded = JSON.parse(historyToJSON(history), withoutTraces) as HistoryJson;
  });
  if (recorded === undefined) throw new Error('the scenario kept no history');
  return recorded;
}

/** Stack traces name the folder that the code is in, and replay does not read them. */
function withoutTraces(name: string, value: unknown): unknown {
  return name === 'stackTrace' ? '' : value;
}
