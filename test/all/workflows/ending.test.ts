/** What is done when a job is over, and who hears of it. */
import { randomUUID } from 'node:crypto';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type RuleRequest } from '../../../src/sandbox/faults/rules';
import { type MediaSpec } from '../../../src/client/jobs/mediaSpec';
import { eventually } from '../../support/eventually';
import { giveUpUnanswered } from '../../support/servers/giveUp';
import { stagesOf } from '../../support/servers/runs';
import { addFault, ask, readLedger, unanswered, useSandboxEach } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();

describe.each([true, false])('with ETags: %s', (etags) => {
  const sandbox = useSandboxEach({ pace: { kind: 'instant' }, etags });

  const notify = { userId: 'u-1', workspaceId: '1', threadId: 't-9', ctaLabel: 'Look' };

  async function run(more: Partial<MediaSpec>, imageUrl = `${sandbox.url}/samples/mug.png`) {
    const key = `end-${randomUUID()}`;
    const config = testConfig();
    return withWorker(temporal, config, sandbox.url, async () => {
      const report = await segueClient(temporal, config).media.run({
        key,
        tool: 'remove-background',
        request: { image_url: imageUrl },
        ...more,
      });
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

  test('a refused write leaves the job succeeded, and somebody hears of it', async () => {
    const nowhere = { resourcetype: 'document', id: randomUUID() };
    const { result } = await run({ notify, write: { project: nowhere, at: '/mug' } });
    expect(result).toMatchObject({
      status: 'succeeded',
      written: { ok: false, error: expect.stringContaining('404') },
    });
    expect(await notifications()).toMatchObject([
      { request: { category: 'agentError', _extra: { event_type: 'media.unwritten' } }, remarks: [] },
    ]);
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ patches: 0 });
  });

  test('P2: a result whose writer cannot be found in time is listed as being written, and is written later', async () => {
    const project = await newProject();
    const config = testConfig();
    await addFault(sandbox.url, unanswered('get-workspace'));
    await withWorker(temporal, config, sandbox.url, async () => {
      const job = await segueClient(temporal, config).media.start({
        ...{ key: `end-${randomUUID()}`, tool: 'remove-background', notify },
        ...{ request: { image_url: `${sandbox.url}/samples/mug.png` }, write: { project, at: '/mug' } },
      });
      await giveUpUnanswered(temporal, sandbox.url, job.workflowId, 'requestChange');
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
      const { events } = await temporal.client.workflow.getHandle(job.workflowId).fetchHistory();
      expect(stagesOf(events ?? [])).toEqual(['polling', 'writing', 'notifying', 'succeeded']);
    });
    const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
    expect(json.data).toMatchObject({ kept: 1, mug: { info: expect.anything() } });
  });

  test('only the events that were asked for are told', async () => {
    await run({ notify: { ...notify, on: ['failed'] } });
    expect(await notifications()).toEqual([]);
  });

  const operator = { userId: 'op', workspaceId: '42' };

  /** Starts a job whose first POST meets the fault, and gives it to `work`. */
  async function withTroubledJob(
    fault: Pick<RuleRequest, 'fault' | 'status'>,
    work: (job: MediaJob) => Promise<void>,
  ): Promise<Told[]> {
    const rule = { operation: 'remove-background', match: { nth: 1 }, when: 'before' } as const;
    await addFault(sandbox.url, { ...rule, ...fault });
    const config = testConfig();
    const request = { image_url: `${sandbox.url}/samples/mug.png` };
    const spec = { key: `end-${randomUUID()}`, tool: 'remove-background', request, notify };
    const run = async (): Promise<void> => work(await segueClient(temporal, config).media.start(spec));
    await withWorker(temporal, config, sandbox.url, run, { operator });
    expect((await readLedger(sandbox.url)).summary).toMatchObject({ duplicateNotifications: 0 });
    return (await notifications()) as Told[];
  }

  interface Told {
    request: { userId: string; category: string; body: string; _extra: { event_type: string } };
  }

  async function untilTold(count: number): Promise<void> {
    await eventually(
      'the notifications',
      async () => ((await notifications()) as unknown[]).length === count,
    );
  }

  const gist = (told: Told[]) =>
    told.map(({ request: { userId, category } }) => `${userId} ${category}`).sort();

  test('a held job is told to its user and to the operator, once each, with the command that decides it', async () => {
    let key = '';
    const told = await withTroubledJob({ fault: 'reset' }, async (job) => {
      ({ key } = job);
      expect(await job.wait()).toMatchObject({ status: 'held' });
      await untilTold(2);
      await job.resolve({ action: 'abandon', by: 'a test', reason: 'seen' });
      await job.wait();
    });
    expect(gist(told)).toEqual(['op agentError', 'u-1 agentError', 'u-1 agentNeedsInput']);
    expect(told[0]?.request.body).toContain(`segue resolve media/${key} --adopt TASK_ID`);
  });

  test('a credential that is denied is told once each, and the job goes on when it works again', async () => {
    const told = await withTroubledJob({ fault: 'status', status: 401 }, async (job) => {
      await untilTold(2);
      expect(await job.state()).toMatchObject({
        stage: 'waiting',
        lastError: expect.stringContaining('401'),
      });
      expect(await job.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(gist(told)).toEqual(['op agentError', 'u-1 agentNeedsInput', 'u-1 agentTaskCompleted']);
    expect(told[0]?.request).toMatchObject({
      body: expect.stringContaining('segue doctor'),
      _extra: { event_type: 'media.denied-1' },
    });
  });

  test('a job with the longest key that can be derived is written and told', async () => {
    const project = await newProject();
    const key = `${'c'.repeat(120)}~${randomUUID().padEnd(120, 'n')}+2`;
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const result: unknown = await temporal.client.workflow.execute('media', {
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

  test('many jobs that are denied page the operator once, and each says it of itself', async () => {
    const rule = { operation: 'remove-background', fault: 'status', status: 401, when: 'before' } as const;
    await addFault(sandbox.url, { ...rule, match: { every: 1 } });
    const config = testConfig();
    const request = { image_url: `${sandbox.url}/samples/mug.png` };
    const work = async (): Promise<void> => {
      const { media } = segueClient(temporal, config);
      const start = () => media.start({ key: `end-${randomUUID()}`, tool: 'remove-background', request });
      const jobs = await Promise.all(Array.from({ length: shared().full ? 20 : 6 }, start));
      for (const job of jobs)
        await eventually('the denial', async () => (await job.state())?.stage === 'waiting');
      await untilTold(1);
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      const reports = await Promise.all(jobs.map((job) => job.wait()));
      expect(reports.every(({ status }) => status === 'succeeded')).toBe(true);
    };
    await withWorker(temporal, config, sandbox.url, work, { operator });
    expect(gist((await notifications()) as Told[])).toEqual(['op agentError']);
  });
});
