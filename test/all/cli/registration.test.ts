/** A namespace without Segue's search attributes: every job in it would hang, so no worker starts. */
import { allSearchAttributes } from '../../../src/contract/searchAttributes';
import { SANDBOX_KEY } from '../../../sandbox/src/server';
import { createSegueWorker } from '../../../src/worker';
import { Credential } from '../../../src/api/credential';
import { PUBLISHED_LAYOUT } from '../../../src/config';
import { emptyNamespace } from '../../support/servers/namespaces';
import { segue } from '../../support/servers/segueCommand';
import { SegueProcess, spawnSegue, type Settings } from '../../support/servers/segueProcess';
import { shared } from '../../support/jest/shared';
import { testConfig, useTemporal } from '../../support/servers/temporal';

const temporal = useTemporal();
const URL = 'http://127.0.0.1:1';

function settingsFor(namespace: string): Settings {
  return {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    SEGUE_API_URL: URL,
    SEGUE_API_KEY: SANDBOX_KEY,
  };
}

test('a worker refuses to start and names the command that mends it; after that it starts', async () => {
  const namespace = await emptyNamespace(temporal);
  const settings = settingsFor(namespace);
  const refused = await spawnSegue(['worker'], settings);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  for (const { name } of allSearchAttributes) expect(refused.stderr).toContain(name);
  expect(refused.stderr).toContain(`TEMPORAL_NAMESPACE=${namespace} segue setup`);
  expect(refused.stderr).not.toContain('    at ');

  expect(await segue(['setup'], settings)).toMatchObject({ code: 0 });
  const worker = new SegueProcess(['worker'], settings);
  await worker.line(/^ready/);
  expect(await worker.end()).toMatchObject({ code: 0 });
});

test('nothing is started or listed there, and the command that mends it is named', async () => {
  const namespace = await emptyNamespace(temporal);
  const start = ['media', 'start', 'remove-background', '--image-url', 'https://a.example/b.png'];
  for (const command of [start, ['held'], ['media', 'list', '--stage', 'held']]) {
    const { code, stdout, stderr } = await segue(command, settingsFor(namespace));
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(`TEMPORAL_NAMESPACE=${namespace} segue setup`);
    expect(stderr).not.toContain('    at ');
  }
});

test('the check can be switched off', async () => {
  const worker = await createSegueWorker({
    connection: temporal.nativeConnection,
    namespace: await emptyNamespace(temporal),
    bundlePath: shared().bundlePath,
    checkSearchAttributes: false,
    config: {
      ...testConfig(),
      api: { url: URL, credential: Credential.apiKey(SANDBOX_KEY), proxy: {}, layout: PUBLISHED_LAYOUT },
    },
  });
  const running = worker.run();
  worker.shutdown();
  await running;
});

test('a namespace that is not there: 4, and its name', async () => {
  const { code, stderr } = await spawnSegue(['worker'], settingsFor('nowhere'));
  expect(code).toBe(4);
  expect(stderr).toContain('There is no namespace nowhere');
});
