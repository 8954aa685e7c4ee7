import { type MediaJob } from '../../../src/client/jobs/job';
import { eventually } from '../eventually';
import { readLedger } from '../service/sandbox';

/** Decides like an operator: adopts a task that the service has, and otherwise submits again. */
export async function decideByLedger(job: MediaJob, sandboxUrl: string): Promise<void> {
  const { entries } = await readLedger(sandboxUrl);
  const accepted = entries.find(
    ({ kind, applied, requestId }) => kind === 'submit' && applied && requestId?.startsWith(`${job.key}.`),
  );
  const somebody = { by: 'a test', reason: 'by the ledger' };
  const decision = accepted?.taskId
    ? { ...somebody, action: 'adopt' as const, taskId: accepted.taskId }
    : { ...somebody, action: 'resubmit' as const };
  await eventually('that it can be decided', async () => {
    const state = await job.state();
    // A late answer may have ended the hold, and a busy worker may not answer.
    return state && (state.stage !== 'held' || job.resolve(decision));
  });
}
