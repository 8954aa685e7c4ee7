/** `segue report`: pages about a job, a campaign and a batch that were really run. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '@segue/devserver';
import { SANDBOX_KEY } from '../../../sandbox/src/keys';
import { DecisionRefused, JobHeld } from '../../../src/client';
import { batchOf, cutouts } from '../../support/builders/batch';
import { cutout, newCampaign } from '../../support/builders/campaign';
import { SOMEBODY } from '../../support/builders/heldJobs';
import { newKey } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { addFault } from '../../support/service/sandbox';
import { useCommandLine } from '../../support/servers/commandLine';
import { segue } from '../../support/servers/segueCommand';
import { segueClient } from '../../support/servers/temporal';

const { temporal, sandbox, config, settings } = useCommandLine();

async function report(id: string, ...flags: string[]): Promise<string> {
  const file = path.join(await mkdtemp(path.join(shared().scratch, 'report-')), 'report.html');
  const made = await segue(['report', id, '--out', file, ...flags], settings);
  expect(made).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(file) });
  return readFile(file, 'utf8');
}

test('P7: the page of a job has its stages, polls, pictures, change and notification, and no credential', async () => {
  const { project } = await newCampaign(sandbox.url);
  const key = newKey();
  const { media } = segueClient(temporal, config);
  const done = await media.run({
    ...{ key, tool: 'remove-background' },
    request: { image_url: `${sandbox.url}/samples/shoe.png?signature=hidden-1` },
    write: { project, at: '/media/shoe' },
    notify: { userId: 'u-1', workspaceId: '1' },
  });
  expect(done.status).toBe('succeeded');
  const html = await report(`media/${key}`);
  for (const stage of ['submitting', 'polling', 'succeeded']) expect(html).toContain(`<td>${stage}</td>`);
  expect(html).toContain('class="poll"');
  expect(html.match(/<img src="data:image\/png;base64,[A-Za-z0-9+/]+={0,2}"/g)).toHaveLength(2);
  expect(html).toContain(`<td>${project.resourcetype}/${project.id}</td>`);
  expect(html).toContain('<td>applied</td>');
  expect(html).toContain('Your media job is done');
  expect(html).not.toContain(SANDBOX_KEY);
  expect(html).not.toContain('hidden-1');

  const without = await report(key, '--no-pictures');
  expect(without).not.toContain('<img');
  expect(without).toContain('left out: pictures were not asked for');
});

test('the page of a campaign has a row for each job, and who decided what', async () => {
  const media = { cutout: cutout(sandbox.url) };
  const spec = await newCampaign(sandbox.url, {
    ...{ scope: { organization: '1' }, media, approval: { from: 'u-2' } },
  });
  const campaign = await segueClient(temporal, config).campaign.start(spec);
  await eventually('the question', async () => (await campaign.state())?.approval != null);
  await campaign.decide({ decision: 'approve', by: 'Olga', comment: 'lovely' });
  await campaign.result();
  const html = await report(`campaign/${spec.key}`);
  expect(html).toContain('<span>cutout<br>');
  expect(html).toContain('decide approve by Olga: lovely');
  expect(html).toContain('<td>approving</td>');
  expect(html).toContain('<img src="data:image/png;base64,');
});

test('a decision that the job refused is shown as refused', async () => {
  const lost = { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when: 'after' } as const;
  await addFault(sandbox.url, lost);
  const { media } = segueClient(temporal, config);
  const spec = {
    key: newKey(),
    tool: 'remove-background',
    request: { image_url: `${sandbox.url}/samples/mug.png` },
  };
  await expect(media.run(spec)).rejects.toThrow(JobHeld);
  const job = await media.get(spec.key);
  const adopted = job.resolve({ ...SOMEBODY, action: 'adopt', taskId: randomUUID() });
  await expect(adopted).rejects.toThrow(DecisionRefused);
  expect(await report(spec.key)).toMatch(/<td>resolve adopt \S+ by Olga: looked it up \(refused: /);
  await job.cancel();
});

test('the page of a batch has its counts, throughput and latency', async () => {
  const spec = batchOf(cutouts(sandbox.url, 9), 3);
  await segueClient(temporal, config).batch.run(spec);
  const html = await report(`batch/${spec.key}`);
  expect(html).toContain('<h2>9 items</h2>');
  expect(html).toContain('<dt>succeeded</dt><dd>9</dd>');
  for (const n of [1, 2, 3]) expect(html).toContain(`<span>partition ${n}<br>`);
  expect(html.match(/<svg/g)).toHaveLength(2);
});

test('an unknown run is exit 1, a file that cannot be written 2, a server that cannot be reached 4', async () => {
  expect((await segue(['report', newKey()], settings)).code).toBe(1);
  const key = newKey();
  const request = { image_url: `${sandbox.url}/samples/shoe.png` };
  await segueClient(temporal, config).media.run({ key, tool: 'remove-background', request });
  const unwritable = await segue(['report', key, '--out', '/nowhere/report.html'], settings);
  expect(unwritable).toMatchObject({ code: 2, stderr: expect.stringContaining('--out') });
  const nowhere = { ...settings, TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
  expect((await segue(['report', key], nowhere)).code).toBe(4);
});
