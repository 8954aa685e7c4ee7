/** What becomes of a decision when its run is reset to before it. */
import { randomUUID } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { eventually } from '../../support/eventually';
import { holdOf, SOMEBODY, useHeldJobs } from '../../support/builders/heldJobs';
import { resetRun } from '../../support/servers/reset';
import { ask } from '../../support/service/sandbox';
import { segueClient } from '../../support/servers/temporal';

const { temporal, config, withHeldJob, withJobOfBatch, untilResubmitted, acceptedTask, submissions } =
  useHeldJobs();

/** Temporal hands accepted decisions over to the run that a reset makes; they answer the hold of another run. */
describe('P1: a workflow reset to before a decision', () => {
  test.each(['resubmit', 'adopt'] as const)('asks again instead of doing it again: %s', async (action) => {
    const isHeld = action === 'adopt' ? withHeldJob : withJobOfBatch;
    await isHeld(action === 'adopt' ? 'after' : 'before', async (held) => {
      if (action === 'resubmit') await untilResubmitted(held, await holdOf(held));
      else await held.resolve({ ...SOMEBODY, action, taskId: await acceptedTask() });
      expect(await held.wait()).toMatchObject({ status: 'succeeded' });

      await resetBeforeUpdate(temporal.client, held.workflowId);
      const again = await segueClient(temporal, config).media.get(held.key);
      const handle = temporal.client.workflow.getHandle(again.workflowId);
      await eventually('the decision to be handed over and answered', async () => {
        const { events } = await handle.fetchHistory();
        const handed =
          events?.findIndex((event) => event.workflowExecutionUpdateAdmittedEventAttributes) ?? -1;
        return (
          handed >= 0 && events?.slice(handed).some((event) => event.workflowTaskCompletedEventAttributes)
        );
      });
      const state = await again.state();
      expect(state).toMatchObject({ stage: 'held', decisions: [] });
      expect(state?.hold?.id).toBe(`${again.runId}/1`);
      expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
      await again.resolve({ ...SOMEBODY, action: 'adopt', taskId: await acceptedTask() });
      expect(await again.wait()).toMatchObject({ status: 'succeeded' });
    });
    expect(await submissions()).toMatchObject({ submissions: 1, duplicates: 0 });
  });
});

describe.each([true, false])('with ETags: %s', (etags) => {
  const { temporal, sandbox, config, withHeldJob, acceptedTask } = useHeldJobs({ etags });

  test('P2: what a run does that was abandoned and then reset reaches the project, too', async () => {
    const project = { resourcetype: 'document', id: randomUUID() };
    await ask(sandbox.url, 'POST /_sandbox/seed', {
      body: { projects: [{ ...project, workspace: 1, data: {} }] },
    });
    const written = async () => (await ask(sandbox.url, `GET /projects/document/${project.id}`)).json.data;
    await withHeldJob(
      'after',
      async (held) => {
        await held.resolve({ ...SOMEBODY, action: 'abandon' });
        expect(await held.wait()).toMatchObject({ status: 'abandoned' });
        expect(await written()).toMatchObject({ job: { status: 'abandoned' } });

        await resetBeforeUpdate(temporal.client, held.workflowId);
        const again = await segueClient(temporal, config).media.get(held.key);
        await eventually('the hold', async () => (await again.state())?.stage === 'held');
        const taskId = await acceptedTask();
        await again.resolve({ ...SOMEBODY, action: 'adopt', taskId });
        expect(await again.wait()).toMatchObject({ status: 'succeeded', taskId });
        expect(await written()).toMatchObject({ job: { taskId, info: expect.anything() } });
      },
      { write: { project, at: '/job' } },
    );
  });

  test('P2: how a run ends that was reset reaches a project that did not take it before', async () => {
    const project = { resourcetype: 'document', id: randomUUID() };
    await withHeldJob(
      'after',
      async (held) => {
        await held.resolve({ ...SOMEBODY, action: 'abandon' });
        expect(await held.wait()).toMatchObject({ status: 'abandoned' });

        await ask(sandbox.url, 'POST /_sandbox/seed', {
          body: { projects: [{ ...project, workspace: 1, data: {} }] },
        });
        await resetBeforeUpdate(temporal.client, held.workflowId);
        const again = await segueClient(temporal, config).media.get(held.key);
        await eventually('the hold', async () => (await again.state())?.stage === 'held');
        await again.resolve({ ...SOMEBODY, action: 'abandon' });
        expect(await again.wait()).toMatchObject({ status: 'abandoned' });
        const { json } = await ask(sandbox.url, `GET /projects/document/${project.id}`);
        expect(json.data).toMatchObject({ job: { status: 'abandoned' } });
      },
      { write: { project, at: '/job' } },
    );
  });
});

/** Resets to the last workflow task that was over before the first Update was accepted. */
async function resetBeforeUpdate(client: Client, workflowId: string): Promise<void> {
  const { events = [] } = await client.workflow.getHandle(workflowId).fetchHistory();
  const accepted = events?.findIndex((event) => event.workflowExecutionUpdateAcceptedEventAttributes) ?? -1;
  const tasks = (events ?? [])
    .slice(0, accepted - 3)
    .filter((event) => event.workflowTaskCompletedEventAttributes);
  await resetRun({ client }, { workflowId }, { workflowTaskFinishEventId: tasks.at(-1)?.eventId });
}
