/** The examples that ship, run as they stand; only the sandbox's address is another. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readCampaignSpec } from '../../../src/client/campaigns/text';
import { eventually } from '../../support/eventually';
import { SANDBOX_PLACES } from '../../support/service/records';
import { ask, readLedger, useSandbox } from '../../support/service/sandbox';
import {
  segueClient,
  startOwnDevServer,
  testConfig,
  useTemporal,
  useWorker,
} from '../../support/servers/temporal';

const FOLDER = path.resolve(__dirname, '../../../examples/campaigns');

// Others wait for the same records, with workers of their own.
const temporal = useTemporal(startOwnDevServer);
// Only without ETags, the harder case. A second sandbox would share the project writers of the first.
const sandbox = useSandbox({ pace: { kind: 'polls', polls: 1 }, etags: false });
const config = testConfig();
useWorker(temporal, config, sandbox, { layout: SANDBOX_PLACES });

let submissions = 0;

test.each(readdirSync(FOLDER))('%s', async (file) => {
  const text = readFileSync(path.join(FOLDER, file), 'utf8');
  const spec = readCampaignSpec(text.replaceAll('http://127.0.0.1:4010', sandbox.url), file);
  const campaign = await segueClient(temporal, config).campaign.start(spec);
  if (spec.approval) {
    await eventually('the question', async () => (await campaign.status()).approval ?? undefined);
    await campaign.decide({ decision: 'approve', by: spec.approval.from });
  }
  const { status, jobs, written, notified } = await campaign.result();
  expect({ status, written }).toEqual({ status: 'completed', written: { ok: true } });
  expect(notified?.status ?? null).toBe(spec.notify ? 'sent' : null);
  expect(jobs.filter((job) => job.status !== 'succeeded')).toEqual([]);

  submissions += Object.keys(spec.media ?? {}).length;
  const { summary } = await readLedger(sandbox.url);
  expect(summary).toMatchObject({ submissions, duplicates: 0, duplicateNotifications: 0, lostKeys: 0 });
  const { resourcetype, id } = spec.project;
  const { json } = await ask(sandbox.url, `GET /projects/${resourcetype}/${id}`);
  const place = (spec.at ?? '/campaign').slice(1);
  expect((json.data as Record<string, unknown>)[place]).toMatchObject({ lifecycle: { stage: 'completed' } });
});
