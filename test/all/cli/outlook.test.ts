/** `segue outlook`, as a person types it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { useSandbox } from '../../support/service/sandbox';
import { segue } from '../../support/servers/segueCommand';
import { type Settings } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { startOwnDevServer, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

// The example's project has one writer, and elsewhere that may be a worker of another test.
const temporal = useTemporal(startOwnDevServer);
// Without ETags, which is harder; what outlooks write is tested with both in outlook.test.ts of core.
const sandbox = useSandbox({ etags: false });
const config = testConfig();
const settings = (): Settings => ({ TEMPORAL_ADDRESS: temporal.address, SEGUE_TASK_QUEUE: config.taskQueue });

const EXAMPLE = path.resolve(__dirname, '../../../examples/outlook.yaml');

test('run looks by the example, start returns at once, follow waits; without news nothing is written', async () => {
  const keys = [1, 2].map(() => `look-${randomUUID()}`);
  await withWorker(temporal, config, sandbox.url, async () => {
    const first = await segue(['outlook', 'run', EXAMPLE, '--key', keys[0] ?? ''], settings());
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/succeeded\nThe project has the outlook/),
    });
    const started = await segue(['outlook', 'start', EXAMPLE, '--key', keys[1] ?? ''], settings());
    expect(started).toMatchObject({ code: 0, stdout: `outlook/${keys[1] ?? ''}` });
    expect(started.stderr).toContain(`segue outlook follow ${keys[1] ?? ''}`);
    const followed = await segue(['outlook', 'follow', keys[1] ?? '', '--json'], settings());
    expect(JSON.parse(followed.stdout)).toMatchObject({
      ...{ key: keys[1], status: 'succeeded', taskId: null, error: null },
      info: { written: false, nudges: [], remarks: [] },
    });
    const again = await segue(['outlook', 'run', EXAMPLE, '--key', keys[0] ?? '', '--json'], settings());
    expect(again.stderr).toContain('another --key makes another');
    expect(JSON.parse(again.stdout)).toMatchObject({ existing: true, info: { written: true } });
  });
});

test('a spec that is wrong starts nothing: every problem has its place', async () => {
  const file = path.join(await mkdtemp(path.join(shared().scratch, 'spec-')), 'wrong.yaml');
  await writeFile(file, 'key: a b\nproject: { resourcetype: campaign }\nboards: [1]\nweeks: 99\nwrong: 1\n');
  const { code, stderr } = await segue(['outlook', 'run', file], settings());
  expect(code).toBe(2);
  expect(stderr.split('\n').map((line) => line.trim())).toEqual([
    'The outlook was not started:',
    expect.stringMatching(/wrong\.yaml:1:6: key: must be/),
    expect.stringMatching(/wrong\.yaml:2:1: project\.id: is required/),
    expect.stringMatching(/wrong\.yaml:3:10: boards\.0: must be a text/),
    expect.stringMatching(/wrong\.yaml:4:8: weeks: must be/),
    expect.stringMatching(/wrong\.yaml:5:1: wrong: is not known here/),
  ]);
});
