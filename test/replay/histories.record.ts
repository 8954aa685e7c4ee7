/** Records the histories that the replay test reads: `npm run histories`. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { useTemporal } from '../support/temporal';
import { allScenarios } from './allScenarios';

const FOLDER = path.join(__dirname, 'histories');

const temporal = useTemporal();

beforeAll(async () => {
  await mkdir(FOLDER, { recursive: true });
});

test.each(Object.entries(allScenarios))('record %s', async (name, scenario) => {
  let recorded = 0;
  await scenario(temporal, async (run) => {
    const history = await run.fetchHistory();
    recorded = history.events?.length ?? 0;
    // The time-skipping server leaves it out.
    const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
    if (started && !started.workflowId) started.workflowId = run.workflowId;
    await writeFile(path.join(FOLDER, `${name}.json`), `${withoutTraces(historyToJSON(history))}\n`);
  });
  expect(recorded).toBeGreaterThan(5);
});

/** They name the folder that this happens to be in, and replay looks at none. */
function withoutTraces(json: string): string {
  return json.replace(/^(\s*"stackTrace": )".*"(,?)$/gm, '$1""$2');
}
