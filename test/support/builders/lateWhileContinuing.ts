/** A late answer that arrives while the run continues as new: the next run gets it at its start. */
import { randomUUID } from 'node:crypto';
import { type MediaJob } from '../../../src/client/jobs/job';
import { acceptedSignal } from '../../../src/contract';
import { eventually } from '../eventually';
import { tasksOf } from './jobs';
import { addFault, answering, ask } from '../service/sandbox';
import { patientPosts } from '../servers/patientPosts';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../servers/temporal';

/**
 * Runs a job whose first POST is accepted and never answered. A person decides to resubmit, and access is
 * denied. While the job waits, its history grows past `limit`, and the late answer arrives.
 */
export async function answeredWhileContinuing(
  temporal: TestTemporal,
  sandboxUrl: string,
  limit: number,
): Promise<MediaJob> {
  const config = testConfig({ submit: { timeout: '1s', authGrace: '1h' } });
  const key = `late-${randomUUID()}`;
  const lost = { match: { requestId: `${key}.submit.1` }, fault: 'reset', when: 'after' } as const;
  await addFault(sandboxUrl, { operation: 'remove-background', ...lost });
  const untilDenied = async (): Promise<MediaJob> => {
    const request = { image_url: `${sandboxUrl}/samples/mug.png` };
    const held = await segueClient(temporal, config).media.start({ key, tool: 'remove-background', request });
    await eventually('the hold', async () => (await held.state())?.stage === 'held');
    await addFault(sandboxUrl, answering(401, 'remove-background'));
    await eventually('that it can be submitted again', () =>
      held.resolve({ action: 'resubmit', by: 'sam', reason: 'not there' }),
    );
    await eventually('the denial', async () => (await held.state())?.stage === 'waiting');
    // A run does not continue as new while a notification is being sent.
    await eventually('that the operator was told', async () => {
      const { raw } = await temporal.client.workflow.getHandle(held.workflowId).describe();
      return !raw.pendingWorkflowTask && raw.pendingActivities?.length === 0;
    });
    return held;
  };
  const job = await withWorker(temporal, config, sandboxUrl, untilDenied, { worker: patientPosts() });

  const run = temporal.client.workflow.getHandle(job.workflowId);
  const nothing = { hold: 'of nobody', taskId: '' };
  await Promise.all(Array.from({ length: limit }, () => run.signal(acceptedSignal, nothing)));
  const [taskId = ''] = await tasksOf(sandboxUrl, key);
  await run.signal(acceptedSignal, { hold: `${job.runId}/1`, taskId });
  await ask(sandboxUrl, 'DELETE /_sandbox/faults');
  await withWorker(temporal, config, sandboxUrl, () => job.wait());
  return job;
}
