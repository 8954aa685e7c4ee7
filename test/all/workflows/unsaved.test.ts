/** A result that a project refuses: nobody takes it for saved, and it is written again without another submission. */
import { randomUUID } from 'node:crypto';
import { type BatchResult } from '../../../src/contract';
import { batchPartWorkflowId } from '../../../src/contract/ids';
import { batchOf, cutouts, resultsOf } from '../../support/builders/batch';
import { asReport, jsonLines, newKey } from '../../support/builders/jobs';
import { pathOf, readProject, removeFaults, seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { useCommandLine } from '../../support/servers/commandLine';
import { segue } from '../../support/servers/segueCommand';
import { SegueProcess } from '../../support/servers/segueProcess';
import { segueClient, startOwnDevServer } from '../../support/servers/temporal';
import { addFault, answering, ask, readLedger } from '../../support/service/sandbox';
import { startSmallService } from '../../support/service/smallService';

// `held` shows a whole namespace.
const line = useCommandLine({ openTemporal: startOwnDevServer, pace: { kind: 'instant' } });
const { temporal, sandbox, config, settings } = line;

async function held(): Promise<Record<string, unknown>[]> {
  return jsonLines((await segue(['held', '--json'], settings)).stdout);
}

async function submissions(): Promise<number> {
  return (await readLedger(sandbox.url)).summary.submissions;
}

test('P2: a job whose project refuses its result is unsaved, and retry writes it with the one submission', async () => {
  const before = await submissions();
  const key = newKey();
  const project = { resourcetype: 'campaign', id: randomUUID() };
  const run = await segue(
    [
      ...['media', 'run', 'remove-background', '--image-url', `${sandbox.url}/samples/mug.png`, '--key', key],
      ...['--write', `campaign/${project.id}:/mug`, '--notify', 'u-1@1', '--json'],
    ],
    settings,
  );
  expect(run.code).toBe(1);
  const report = jsonLines(run.stdout)[0];
  expect(report).toMatchObject({
    ...{ status: 'unsaved', stage: 'unsaved', taskId: expect.any(String), info: expect.anything() },
    error: expect.stringContaining('404'),
  });
  const { json } = await ask(sandbox.url, 'GET /_sandbox/notifications');
  expect(json.notifications).toMatchObject([
    { request: { category: 'agentError', _extra: { event_type: 'media.unsaved' } } },
  ]);
  await eventually('the unsaved job in the list', async () => (await held()).length > 0);
  expect(await held()).toMatchObject([
    {
      ...{ workflowId: `media/${key}`, status: 'unsaved', why: 'unsaved' },
      reason: expect.stringContaining('404'),
      next: [{ command: `segue retry media/${key}` }],
    },
  ]);

  await seedProject(sandbox.url, { kept: 1 }, project);
  expect(await segue(['retry', key], settings)).toMatchObject({ code: 0, stdout: `media/${key}+2` });
  const again = await (await segueClient(temporal, config).media.get(`${key}+2`)).wait();
  expect(again).toMatchObject({ status: 'succeeded', taskId: report?.taskId });
  expect((await readProject(sandbox.url, project)).data).toMatchObject({
    kept: 1,
    mug: { taskId: report?.taskId, info: report?.info },
  });
  expect(await held()).toEqual([]);
  expect((await submissions()) - before).toBe(1);
});

test('P2: a batch counts the items that projects refuse, and its retry writes them without a POST', async () => {
  const before = await submissions();
  const good = await seedProject(sandbox.url, {});
  const missing = { resourcetype: 'campaign', id: randomUUID() };
  const items = cutouts(sandbox.url, 6).map((item, index) => ({
    ...item,
    write: { project: index < 4 ? good : missing, at: `/made/${item.key}` },
  }));
  const { batch } = segueClient(temporal, config);
  const spec = batchOf(items, 6);
  const first = await batch.run(spec).catch(asReport);
  expect(first).toMatchObject({ status: 'unsaved', stage: 'unsaved' });
  expect((first.info as BatchResult).counts).toMatchObject({ succeeded: 4, unsaved: 2, failed: 0 });
  const followed = await segue(['batch', 'follow', spec.key], settings);
  expect(followed.code).toBe(1);
  expect(followed.stdout).toContain('4 succeeded, 2 unsaved');
  expect(followed.stderr).toContain(`segue batch retry ${spec.key}`);
  await eventually('the batch in the list', async () => (await held()).length > 0);
  expect(await held()).toMatchObject([
    { workflowId: `batch/${spec.key}`, why: 'unsaved', next: [{ command: `segue batch retry ${spec.key}` }] },
  ]);
  const unsaved = (await resultsOf(await batch.get(spec.key))).filter(({ status }) => status === 'unsaved');
  expect(unsaved).toMatchObject([{ unwritten: expect.stringContaining('404') }, { key: 'line-6' }]);

  await seedProject(sandbox.url, {}, missing);
  expect(await segue(['batch', 'retry', spec.key], settings)).toMatchObject({ code: 0 });
  const repeat = await (await batch.get(`${spec.key}+2`)).wait();
  expect(repeat).toMatchObject({ status: 'succeeded' });
  expect((await readProject(sandbox.url, missing)).data).toMatchObject({
    made: { 'line-5': { taskId: unsaved[0]?.taskId }, 'line-6': { taskId: unsaved[1]?.taskId } },
  });
  expect(await held()).toEqual([]);
  expect((await submissions()) - before).toBe(6);
});

test('P2: results that are not written when their partition is terminated are unsaved, and retry writes them', async () => {
  const before = await submissions();
  const project = await seedProject(sandbox.url, {});
  await addFault(sandbox.url, { ...answering(503, 'get-project'), match: { path: pathOf(project) } });
  const items = cutouts(sandbox.url, 2).map((item) => ({
    ...item,
    write: { project, at: `/made/${item.key}` },
  }));
  const spec = batchOf(items, 2);
  const run = await segueClient(temporal, config).batch.start(spec);
  const pending = { status: 'unsaved', unwritten: 'its project does not have it yet' };
  await eventually('both results', async () =>
    (await resultsOf(run)).every(({ status }) => status === 'unsaved'),
  );
  expect(await resultsOf(run)).toMatchObject([pending, pending]);
  for (const id of [`batch/${spec.key}`, batchPartWorkflowId(spec.key, 1)])
    await temporal.client.workflow.getHandle(id).terminate('a test');
  await removeFaults(sandbox.url);

  expect(await segue(['batch', 'retry', spec.key], settings)).toMatchObject({ code: 0 });
  const { batch } = segueClient(temporal, config);
  expect(await (await batch.get(`${spec.key}+2`)).wait()).toMatchObject({ status: 'succeeded' });
  const { made } = (await readProject(sandbox.url, project)).data;
  expect(Object.keys(made as object).sort()).toEqual(['line-1', 'line-2']);
  expect((await submissions()) - before).toBe(2);
});

test('P2: a worker that cannot tell its workspace says so at its start, and sends no POST whose result it could not write', async () => {
  const service = await startSmallService({
    'GET /api/v1/workspaces/current': { body: { user: {}, workspace: { name: 'Media' } } },
  });
  const own = { ...config, taskQueue: `test-${randomUUID()}` };
  const worker = new SegueProcess(['worker'], {
    ...settings,
    SEGUE_TASK_QUEUE: own.taskQueue,
    SEGUE_API_URL: service.url,
    SEGUE_API_KEY: 'test-key',
  });
  try {
    await worker.line(/^ready/);
    expect(worker.stderr.join('\n')).not.toContain('No workflows registered');
    await eventually('the warning', () => worker.stderr.join('\n').includes('set SEGUE_ORGANIZATION'));
    const { media, batch } = segueClient(temporal, own);
    const write = { project: { resourcetype: 'campaign', id: '7' }, at: '/mug' };
    const request = { image_url: `${sandbox.url}/samples/mug.png` };
    const spec = { key: newKey(), tool: 'remove-background', request, write };
    const job = await media.run(spec).catch(asReport);
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('SEGUE_ORGANIZATION') });
    const items = cutouts(sandbox.url, 60, { write });
    expect(await batch.run(batchOf(items, 30)).catch(asReport)).toMatchObject({
      ...{ status: 'failed', info: { counts: { failed: 60 } } },
    });
  } finally {
    await worker.end();
    await service.stop();
  }
  expect(service.asked.filter((target) => target.startsWith('POST'))).toEqual([]);
});
