import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
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

function replay(json: unknown): Promise<void> {
  const history = historyFromJSON(json);
  // The run's own id: a media run refuses to start under another.
  const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  if (!workflowId) throw new Error('the history does not tell its workflow id');
  return Worker.runReplayHistory({ workflowBundle: { codePath: shared().bundlePath } }, history, workflowId);
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

  test.each(committed)('P6: %s replays', async (name) => {
    await expect(replay(JSON.parse(read(name)))).resolves.toBeUndefined();
  });

  test('P6: a history that the code would not write does not replay', async () => {
    const history = JSON.parse(read('media-succeeded').replaceAll('"submit"', '"submitTwice"')) as unknown;
    await expect(replay(history)).rejects.toThrow(/[Nn]ondeterminism/);
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
