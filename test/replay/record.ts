/** Runs every scenario and gives its history. */
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { useTemporal } from '../support/servers/temporal';
import { allScenarios } from './allScenarios';

/** Called at the top of a test file: makes one test of each scenario. */
export function recordAll(title: string, use: (scenario: string, json: string) => void): void {
  const temporal = useTemporal();

  test.each(Object.entries(allScenarios))(title, async (name, scenario) => {
    let recorded: string | undefined;
    await scenario(temporal, async (run) => {
      const history = await run.fetchHistory();
      // The time-skipping server leaves it out.
      const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
      if (started && !started.workflowId) started.workflowId = run.workflowId;
      recorded = withoutTraces(historyToJSON(history));
    });
    if (recorded === undefined) throw new Error('the scenario kept no history');
    use(name, recorded);
  });
}

/** Stack traces name the folder that the code is in, and replay does not read them. */
function withoutTraces(json: string): string {
  return json.replace(/^(\s*"stackTrace": )".*"(,?)$/gm, '$1""$2');
}
