import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { SANDBOX_KEY } from '../../src/sandbox/server';
import * as workflows from '../../src/workflows';
import '../support/runtime';
import { shared } from '../support/shared';
import { allScenarios } from './allScenarios';

const FOLDER = path.join(__dirname, 'histories');
const committed = readdirSync(FOLDER).map((file) => path.basename(file, '.json'));

function read(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.json`), 'utf8');
}

interface Recorded {
  events: {
    eventType: string;
    workflowExecutionStartedEventAttributes?: { workflowType: { name: string } };
  }[];
}

/** The workflows of which a history ends so; of which there is one at all, unless told. */
function workflowsThatEnd(eventType?: string): string[] {
  const names = committed.flatMap((name) => {
    const { events } = JSON.parse(read(name)) as Recorded;
    if (eventType !== undefined && events.at(-1)?.eventType !== eventType) return [];
    return [events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name ?? 'untold'];
  });
  return [...new Set(names)].sort();
}

const options = { workflowBundle: { codePath: shared().bundlePath } };

function replayable(json: unknown): { workflowId: string; runId: string; history: History } {
  const history = historyFromJSON(json);
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  // The run's own id: a media run refuses to start under another.
  const { workflowId, originalExecutionRunId: runId } = started ?? {};
  if (!workflowId || !runId) throw new Error('the history does not tell whose it is');
  return { workflowId, runId, history };
}

/** Why histories do not replay, by run; all with one worker, since each costs as much as some histories. */
async function replayAll(
  histories: ReturnType<typeof replayable>[],
): Promise<Map<string, Error | undefined>> {
  const results = new Map<string, Error | undefined>();
  for await (const { runId, error } of Worker.runReplayHistories(options, histories))
    results.set(runId, error);
  return results;
}

describe('committed histories', () => {
  test('every scenario has one', () => {
    expect(committed.sort()).toEqual(Object.keys(allScenarios).sort());
  });

  test('P6: every workflow has one', () => {
    expect(workflowsThatEnd()).toEqual(Object.keys(workflows).sort());
  });

  test('P6: every workflow that can take long has one of a run that hands over to the next', () => {
    const long = [
      'batch',
      'batchPart',
      'campaign',
      'firing',
      'media',
      'projectWriter',
      'record',
      'transcript',
    ];
    expect(workflowsThatEnd('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW')).toEqual(long);
  });

  describe('all together', () => {
    const runs = new Map(committed.map((name) => [name, replayable(JSON.parse(read(name)))]));
    let results: Map<string, Error | undefined>;
    beforeAll(async () => {
      results = await replayAll([...runs.values()]);
    }, 120_000);

    test.each(committed)('P6: %s replays', (name) => {
      const runId = runs.get(name)?.runId ?? '';
      expect([...results.keys()]).toContain(runId);
      expect(results.get(runId)).toBeUndefined();
    });
  });

  test('P6: a history that the code would not write does not replay', async () => {
    const history = JSON.parse(read('media-succeeded').replaceAll('"submit"', '"submitTwice"')) as unknown;
    const [error] = (await replayAll([replayable(history)])).values();
    expect(error?.message).toMatch(/[Nn]ondeterminism/);
  });

  test.each(committed)('P7: %s holds no credential', (name) => {
    const text = read(name);
    const payloads = [...text.matchAll(/"data": ?"([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    expect(payloads.length).toBeGreaterThan(0);
    expect([text, ...payloads].join('\n')).not.toContain(SANDBOX_KEY);
  });
});
