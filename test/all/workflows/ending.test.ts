/** What is done with the result of a job that is over: it is written to its project, and its user is notified. */
import { randomUUID } from 'node:crypto';
import { type MediaSpec } from '../../../src/runs/media';
import { giveUpUnanswered } from '../../support/servers/giveUp';
import { stagesOf } from '../../support/servers/runs';
import { addFault, ask, readLedger, unanswered, useSandboxEach } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { asReport, OWN_START } from '../../support/builders/jobs';

const temporal = useTemporal();

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandboxEach({ pace: { kind: 'instant' }, etags });

  const notify = { userId: 'u-1', workspaceId: '1', threadId: 't-9', ctaLabel: 'Look' };

  async function run(more: Partial<MediaSpec>, imageUrl = `${sandbox.url}/samples/mug.png`) {
    const key = `end-${randomUUID()}`;
    const config = testConfig();
    return withWorker(temporal, config, sandbox.url, async () => {
      const spec = { key, tool: 'remove-background', request: { image_url: imageUrl }, ...more };
      const report = await segueClient(temporal, config).media.run(spec).catch(asReport);
      const result: unknown = await temporal.client.workflow
        .getHandle(report.workflowId)
        .result()
        .catch((error: unknown) => error);
      return { key, report, result };
    });
  }

  async function newProject(): Promise<{ resourcetype: string; id: string }> {
    const project = { resourcetype: 'document', id: randomUUID() };
    const projects = [{ ...project, workspace: 1, data: { kept: 1 } }];
    await ask(sandbox.url, 'POST /_sandbox/seed', { body: { projects } });
    return project;
  }

  async function notifications(): Promise<unknown> {
    return (await ask(sandbox.url, 'GET /_sandbox/notifications')).json.notifications;
  }

  test('a result is set at its pointer, and the user is told', async () => {
    const project = await newProject();
    const { key, report, result } = await run({ notify, write: { project, at: '/media/7/mug' } });
    expect(result).toMatchObject({
      key,
      status: 'succeeded',
      written: { ok: true },
      notified: { status: 'sent' },
    });
    const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
    expect(json.data).toEqual({
      kept: 1,
      media: {
        7: { mug: { key, taskId: report.taskId, info: report.info, finishedAt: expect.any(String) } },
      },
    });
    expect(await notifications()).toMatchObject([
      {
        request: {
          userId: 'u-1',
          threadId: 't-9',
          ctaLabel: 'Look',
          category: 'agentTaskCompleted',
          _extra: { event_type: 'media.completed', agent: 'segue', task_id: report.taskId, job_key: key },
        },
        remarks: [],
      },
    ]);
  });

  test('a task that the service ends as FAILURE is known to project and user before the run fails', async () => {
    const project = await newProject();
    const { key, report } = await run(
      { notify, write: { project, at: '/mug' } },
      'https://images.example.com/a.png',
    );
    expect(report).toMatchObject({ status: 'failed', taskId: expect.any(String) });
    const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
    expect(json.data).toMatchObject({
      kept: 1,
      mug: {
        key,
        taskId: report.taskId,
        status: 'failed',
        errors: { errors: [expect.stringContaining('example.com')] },
      },
    });
    expect(await notifications()).toMatchObject([
      {
        request: { category: 'agentError', _extra: { event_type: 'media.failed', task_id: report.taskId } },
        remarks: [],
      },
    ]);
  });

  test('a refused write leaves the job unsaved, and somebody hears of it', async () => {
    const nowhere = { resourcetype: 'document', id: randomUUID() };
    const { result } = await run({ notify, write: { project: nowhere, at: '/mug' } });
    expect(result).toMatchObject({
      status: 'unsaved',
      written: { ok: false, error: expect.stringContaining('404') },
    });
    expect(await notifications()).toMatchObject([
      { request: { category: 'agentError', _extra: { event_type: 'media.unsaved' } }, remarks: [] },
    ]);
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ patches: 0 });
  });

  test('P2: a result whose writer cannot be found in time is listed as being written, and is written later', async () => {
    const project = await newProject();
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const request = { image_url: `${sandbox.url}/samples/mug.png` };
      const spec = { tool: 'remove-background', request, notify };
      const { taskId } = await media.run({ ...spec, key: `task-${randomUUID()}` });
      await addFault(sandbox.url, unanswered('get-workspace'));
      // With a task it submits nothing, which would ask for the workspace, too.
      const job = await media.start({
        ...{ ...spec, key: `end-${randomUUID()}`, taskId, write: { project, at: '/mug' } },
      });
      await giveUpUnanswered(temporal, sandbox.url, job.workflowId, 'requestChanges');
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
      const { events } = await temporal.client.workflow.getHandle(job.workflowId).fetchHistory();
      expect(stagesOf(events ?? [])).toEqual(['polling', 'writing', 'notifying', 'succeeded']);
    });
    const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
    expect(json.data).toMatchObject({ kept: 1, mug: { info: expect.anything() } });
  });

  test('a job with the longest key that can be derived is written and told', async () => {
    const project = await newProject();
    const key = `${'c'.repeat(120)}~${randomUUID().padEnd(120, 'n')}+2`;
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const result: unknown = await temporal.client.workflow.execute('media', {
        memo: OWN_START,
        workflowId: `media/${key}`,
        taskQueue: config.taskQueue,
        args: [
          {
            key,
            tool: 'remove-background',
            request: { image_url: `${sandbox.url}/samples/mug.png` },
            poll: config.poll,
            write: { project, at: '/mug' },
            notify,
          },
        ],
      });
      expect(result).toMatchObject({ key, written: { ok: true }, notified: { status: 'sent' } });
    });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ submissions: 1, patches: 1 });
  });
});
