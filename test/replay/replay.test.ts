import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { SANDBOX_KEY } from '../../src/sandbox/server';
import '../support/runtime';
import { shared } from '../support/shared';
import { allScenarios } from './allScenarios';

const FOLDER = path.join(__dirname, 'histories');
const committed = readdirSync(FOLDER).map((file) => path.basename(file, '.json'));

function read(name: string): string {
  return readFileSync(path.join(FOLDER, `${name}.json`), 'utf8');
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
