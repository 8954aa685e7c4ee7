/** P6: old runs survive new code. */
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { SANDBOX_KEY } from '../../sandbox/src/server';
import * as workflows from '../../src/workflows';
import '../support/servers/runtime';
import { shared } from '../support/jest/shared';
import { allScenarios } from './allScenarios';
import {
  type CommittedHistory,
  committedHistories,
  type HistoryJson,
  outlineOf,
  unreleasedHistories,
} from './histories';

const committed = committedHistories();

interface Recorded {
  events: {
    eventType: string;
    workflowExecutionStartedEventAttributes?: { workflowType: { name: string } };
  }[];
}

/** The workflows that have a history, or one whose last event is of this type. */
function workflowsThatEnd(eventType?: string): string[] {
  const names = unreleasedHistories().flatMap(({ json }) => {
    const { events } = JSON.parse(json) as Recorded;
    if (eventType !== undefined && events.at(-1)?.eventType !== eventType) return [];
    return [events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name ?? 'unknown'];
  });
  return [...new Set(names)].sort();
}

const options = { workflowBundle: { codePath: shared().bundlePath } };

function replayable(json: string): { workflowId: string; runId: string; history: History } {
  const history = historyFromJSON(JSON.parse(json));
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  // The run's own id: a media run refuses to start under another.
  const { workflowId, originalExecutionRunId: runId } = started ?? {};
  if (!workflowId || !runId) throw new Error('the history does not name its run');
  return { workflowId, runId, history };
}

/** Why histories do not replay, by run id. One worker replays them all: starting a worker costs as much as some histories. */
async function replayAll(
  histories: ReturnType<typeof replayable>[],
): Promise<Map<string, Error | undefined>> {
  const results = new Map<string, Error | undefined>();
  for await (const { runId, error } of Worker.runReplayHistories(options, histories))
    results.set(runId, error);
  return results;
}

describe('committed histories', () => {
  test('every scenario has one of the code of today', () => {
    const scenarios = unreleasedHistories().map(({ scenario }) => scenario);
    expect(scenarios.sort()).toEqual(Object.keys(allScenarios).sort());
  });

  test('P6: every workflow has one', () => {
    expect(workflowsThatEnd()).toEqual(Object.keys(workflows).sort());
  });

  test('P6: every workflow that can take long has one of a run that continues as new', () => {
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
    const runs = new Map(committed.map(({ name, json }) => [name, replayable(json)]));
    let results: Map<string, Error | undefined>;
    beforeAll(async () => {
      results = await replayAll([...runs.values()]);
    });

    test.each(committed)('P6: $name replays', ({ name }) => {
      const runId = runs.get(name)?.runId ?? '';
      expect([...results.keys()]).toContain(runId);
      expect(results.get(runId)).toBeUndefined();
    });
  });

  test('P6: a history that the code would not write does not replay', async () => {
    const { json } = unreleasedHistories().find(({ scenario }) => scenario === 'media-succeeded') ?? {
      json: '',
    };
    const [error] = (await replayAll([replayable(json.replaceAll('"submit"', '"submitTwice"'))])).values();
    expect(error?.message).toMatch(/[Nn]ondeterminism/);
  });

  test.each(['media-succeeded', 'batch-part-paused'])('P1: the outline of %s shows a second POST', (name) => {
    const { json } = unreleasedHistories().find(({ scenario }) => scenario === name) ?? { json: '' };
    const { events } = JSON.parse(json) as HistoryJson;
    const posts = outlineOf({ events }).filter((line) => /submit$|^ITEM/.test(line));
    const twice = outlineOf({ events: [...events, ...events] }).filter((line) => /submit$|^ITEM/.test(line));
    expect(posts.length).toBeGreaterThan(0);
    expect(twice).toHaveLength(2 * posts.length);
  });

  test('P7: none holds the credential that it was recorded with', () => {
    const holdsCredential = ({ json }: CommittedHistory): boolean => {
      const payloads = [...json.matchAll(/"data":"([^"]*)"/g)].map(([, data]) =>
        Buffer.from(data ?? '', 'base64').toString(),
      );
      expect(payloads.length).toBeGreaterThan(0);
      return [json, ...payloads].join('\n').includes(SANDBOX_KEY);
    };
    expect(committed.filter(holdsCredential).map(({ name }) => name)).toEqual([]);
  });
});
