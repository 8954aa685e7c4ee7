/** Runs that are cancelled while the service still works for them: what is paid for is not forgotten. */
import { randomUUID } from 'node:crypto';
import { type MediaJob } from '../../src/client/jobs/job';
import { type ProjectRef } from '../../src/contract';
import { type Sandbox, startSandbox } from '../../src/sandbox/server';
import { eventually } from '../support/eventually';
import { addFault, answering, ask } from '../support/sandbox';
import { segueClient, testConfig, useTemporal, withWorker } from '../support/temporal';
import { answerAsWriter } from '../support/writerAnswer';

const temporal = useTemporal();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
});
afterAll(() => sandbox.stop());

/** A job that writes to a project, and whose task is not over within any test. */
async function withSlowJob(work: (slow: MediaJob, project: ProjectRef) => Promise<void>): Promise<void> {
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
    await eventually('the polls', async () => (await slow.state())?.stage === 'polling');
    await work(slow, project);
  });
}

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

test("P2: a cancelled job whose ask is never acknowledged ends with its writer's answer", async () => {
  await withSlowJob(async (started) => {
    // An attempt that reached the writer and did not come back; its retries cannot tell where the writer is.
    await addFault(sandbox.url, answering(503, 'get-workspace'));
    await started.cancel();
    await answerAsWriter(temporal, started.workflowId);
    expect(await started.wait()).toMatchObject({ status: 'cancelled', taskId: expect.any(String) });
  });
});
