/** The example manifest that ships, run as it stands; only the sandbox's address is another. */
import { readFile, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type BatchItem } from '../../../src/contract';
import { ask, readLedger, useSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';
import { type ResultWithFiles } from '../../../src/client/files';

const EXAMPLE = path.resolve(__dirname, '../../../examples/products.ndjson');

const temporal = useTemporal();
// Only without ETags, the harder case. A second sandbox would share the project writers of the first.
const sandbox = useSandbox({ pace: { kind: 'polls', polls: 1 }, etags: false });
const config = testConfig();
useWorker(temporal, config, sandbox);

test('products.ndjson', async () => {
  const text = (await readFile(EXAMPLE, 'utf8')).replaceAll('http://127.0.0.1:4010', sandbox.url);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as BatchItem);
  const manifest = path.join(shared().scratch, `${randomUUID()}.ndjson`);
  await writeFile(manifest, text);
  const warnings: unknown[] = [];
  const batch = await segueClient(temporal, config).batch.startFrom(manifest, {
    key: `b-${randomUUID()}`,
    onWarning: (warning) => warnings.push(warning),
  });
  expect(await batch.result()).toMatchObject({ status: 'completed', counts: { succeeded: lines.length } });
  expect(warnings).toEqual([]);

  const results: ResultWithFiles[] = [];
  for await (const result of batch.download({ into: path.join(shared().scratch, batch.key), at: '/images' }))
    results.push(result);
  expect(results).toMatchObject(lines.map(({ key }) => ({ key, files: [{ status: 'saved' }] })));
  const { summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions: lines.length, duplicates: 0, lostKeys: 0 });
  for (const [index, { write }] of lines.entries()) {
    if (!write) continue;
    const { resourcetype, id } = write.project;
    const { json } = await ask(sandbox.url, `GET /projects/${resourcetype}/${id}`);
    const [, room = '', name = ''] = write.at.split('/');
    const written = (json.data as Record<string, Record<string, unknown>>)[room]?.[name];
    expect(written).toMatchObject({ taskId: results[index]?.taskId, info: results[index]?.info });
  }
});
