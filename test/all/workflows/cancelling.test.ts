/** Runs that are cancelled while the service still works for them: what is paid for is not forgotten. */
import { randomUUID } from 'node:crypto';
import { type MediaJob } from '../../../src/client/jobs/job';
import { acceptedSignal, type MediaStage, type ProjectRef } from '../../../src/contract';
import { submitRequestId } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import { tasksOf } from '../../support/builders/jobs';
import { addFault, answering, ask, useSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { answerAsWriter } from '../../support/builders/writerAnswer';

const temporal = useTemporal();

function useSlowJobs(etags: boolean) {
  const sandbox = useSandbox({ pace: { kind: 'time', ms: 3_600_000 }, etags });

  /** A job that writes to a project, and whose task is not over within any test; it is cancelled at this stage. */
  async function withSlowJob(
    work: (slow: MediaJob, project: ProjectRef) => Promise<void>,
    stage: MediaStage = 'polling',
  ): Promise<void> {
    const project = { resourcetype: 'document', id: randomUUID() };
    await ask(sandbox.url, 'POST /_sandbox/seed', {
      body: { projects: [{ ...project, workspace: 1, data: { kept: true } }] },
    });
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const slow = await segueClient(temporal, config).media.start({
        key: `cancel-${randomUUID()}`,
        tool: 'remove-background',
        request: { image_url: `${sandbox.url}/samples/mug.png` },
        write: { project, at: '/jobs/mug' },
      });
      await eventually(stage, async () => (await slow.state())?.stage === stage);
      await work(slow, project);
    });
  }

  return { sandbox, withSlowJob };
}

describe.each([true, false])('with ETags: %s', (etags) => {
  const { sandbox, withSlowJob } = useSlowJobs(etags);

  test('P2: a cancelled job leaves its task id in the project', async () => {
    await withSlowJob(async (started, project) => {
      await started.cancel();
      const report = await started.wait();
      expect(report).toMatchObject({ status: 'cancelled', taskId: expect.any(String) });
      const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      expect(json.data).toMatchObject({
        kept: true,
        jobs: { mug: { key: started.key, status: 'cancelled', taskId: report.taskId } },
      });
    });
  });

  test('P2: a held job that is cancelled leaves in the project what nobody knows the outcome of', async () => {
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'reset', when: 'after' },
    });
    await withSlowJob(async (started, project) => {
      await started.cancel();
      expect(await started.wait()).toMatchObject({ status: 'cancelled' });
      const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      const submission = submitRequestId(started.key, 1);
      expect(json.data).toMatchObject({
        jobs: { mug: { key: started.key, status: 'cancelled', taskId: null, submission } },
      });
    }, 'held');
  });

  test('P2: a held job that is cancelled leaves the task in the project that it learned of at the last moment', async () => {
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'reset', when: 'after' },
    });
    await addFault(sandbox.url, answering(503, 'get-workspace'));
    await withSlowJob(async (started, project) => {
      const { hold } = (await started.state()) ?? {};
      await started.cancel();
      await eventually('the ask', async () => (await started.state())?.stage === 'writing');
      const [taskId = ''] = await tasksOf(sandbox.url, started.key);
      const run = temporal.client.workflow.getHandle(started.workflowId);
      await run.signal(acceptedSignal, { hold: hold?.id ?? '', taskId });
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      expect(await started.wait()).toMatchObject({ status: 'cancelled' });
      const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      expect(json.data).toMatchObject({ jobs: { mug: { status: 'cancelled', taskId } } });
    }, 'held');
  });

  test('P2: a task that is told while a cancelled job ends does not take the place of the one that it followed', async () => {
    await withSlowJob(async (started, project) => {
      const { taskId } = (await started.state()) ?? {};
      await addFault(sandbox.url, answering(503, 'get-workspace'));
      await started.cancel();
      await eventually('the ask', async () => (await started.state())?.stage === 'writing');
      await tellTask(started, 'another-task');
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
      expect(await started.wait()).toMatchObject({ status: 'cancelled', taskId });
      const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      expect(json.data).toMatchObject({
        jobs: { mug: { status: 'cancelled', taskId, otherTasks: ['another-task'] } },
      });
    });
  });

  test('P2: a held job that is cancelled leaves what is unknown beside a task of an earlier submission', async () => {
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'reset', when: 'after' },
    });
    await withSlowJob(async (started, project) => {
      await tellTask(started, 'earlier-task');
      await started.cancel();
      expect(await started.wait()).toMatchObject({ status: 'cancelled' });
      const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
      const submission = submitRequestId(started.key, 1);
      expect(json.data).toMatchObject({ jobs: { mug: { taskId: 'earlier-task', submission } } });
    }, 'held');
  });
});

describe('when the test answers in place of the project writer', () => {
  const { sandbox, withSlowJob } = useSlowJobs(false);

  test("P2: a cancelled job whose ask is never acknowledged ends with its writer's answer", async () => {
    await withSlowJob(async (started) => {
      // An attempt that reached the writer and did not come back; its retries cannot tell where the writer is.
      await addFault(sandbox.url, answering(503, 'get-workspace'));
      await started.cancel();
      await answerAsWriter(temporal, started.workflowId);
      expect(await started.wait()).toMatchObject({ status: 'cancelled', taskId: expect.any(String) });
      await ask(sandbox.url, 'DELETE /_sandbox/faults');
    });
  });
});

/** Of a submission that the run does not know. */
async function tellTask({ workflowId }: MediaJob, taskId: string): Promise<void> {
  const run = temporal.client.workflow.getHandle(workflowId);
  await run.signal(acceptedSignal, { hold: 'a-run-before/7', taskId });
}
