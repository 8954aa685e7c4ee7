/** Jobs that are held because the outcome of their POST is unknown. */
import { randomUUID } from 'node:crypto';
import { type WorkflowHandle } from '@temporalio/client';
import { type MediaJob } from '../../../src/client/jobs/job';
import { JobHeld } from '../../../src/client/unsuccessful';
import { type MediaSpec } from '../../../src/runs/media';
import { type StarterConfig } from '../../../src/config';
import { type Decision, type DecisionReceipt, resolveUpdate, stateQuery } from '../../../src/contract';
import { submitRequestId } from '../../../src/contract/ids';
import { type LedgerSummary } from '../../../sandbox/src/ledger';
import { type Sandbox } from '../../../sandbox/src/server';
import { eventually } from '../eventually';
import { startByName } from './jobs';
import { addFault, ask, readLedger, useSandboxEach } from '../service/sandbox';
import { patientPosts } from '../servers/patientPosts';
import { segueClient, type TestTemporal, testConfig, useTemporal, withWorker } from '../servers/temporal';

/** A resubmit is refused for the length of the submit timeout after the hold began. */
const BRIEF = { timeout: '1s', authGrace: '1h' } as const;

export const SOMEBODY = { by: 'Olga', reason: 'looked it up' };

export interface HeldJobs {
  temporal: TestTemporal;
  sandbox: Sandbox;
  /** Each test has its own task queue. */
  config: StarterConfig;
  /** Runs `work` with a job whose POST got a connection reset, before or after it was accepted. */
  withHeldJob: (
    when: 'before' | 'after',
    work: (held: MediaJob) => Promise<void>,
    more?: Partial<MediaSpec>,
  ) => Promise<void>;
  /** The same with a job whose batch sent that POST long ago, so that it can soon be submitted again. */
  withJobOfBatch: HeldJobs['withHeldJob'];
  decide: (job: MediaJob, decision: Decision) => Promise<unknown>;
  /** For a job of a batch: a resubmit is allowed when the hold is as old as the submit timeout. */
  untilResubmitted: (job: MediaJob, hold: string) => Promise<unknown>;
  /** A job that can be resubmitted, and its hold. No worker runs, so all that is sent next is in one workflow task. */
  startResubmittable: () => Promise<{ run: WorkflowHandle; hold: string }>;
  /** Sends a decision while no worker runs. Gives a function that waits for its outcome. */
  leaveDecision: (run: WorkflowHandle, decision: Decision) => Promise<() => Promise<DecisionReceipt>>;
  acceptedTask: () => Promise<string>;
  submissions: () => Promise<LedgerSummary>;
}

/** Called at the top of a test file or a `describe`: a sandbox and a task queue for each test. */
export function useHeldJobs({ etags = true } = {}): HeldJobs {
  const temporal = useTemporal();
  const sandbox = useSandboxEach({ pace: { kind: 'instant' }, etags });
  const config = {} as StarterConfig;
  beforeEach(() => {
    // A POST may arrive for twice this time, which is longer than any test.
    Object.assign(config, testConfig({ submit: { timeout: '10m', authGrace: '1h' } }));
  });

  const withHeldJob: HeldJobs['withHeldJob'] = async (when, work, more = {}) => {
    await addFault(sandbox.url, { operation: 'remove-background', match: { nth: 1 }, fault: 'reset', when });
    await withWorker(temporal, config, sandbox.url, async () => {
      const { media } = segueClient(temporal, config);
      const request = { image_url: `${sandbox.url}/samples/mug.png` };
      const spec = { key: `held-${randomUUID()}`, tool: 'remove-background', request, ...more };
      await expect(media.run(spec)).rejects.toThrow(JobHeld);
      await work(await media.get(spec.key));
    });
  };

  const withJobOfBatch: HeldJobs['withJobOfBatch'] = async (when, work, more = {}) => {
    const key = `held-${randomUUID()}`;
    const attempt = { n: 1, at: new Date(0).toISOString(), outcome: 'unknown', reason: 'a test' } as const;
    if (when === 'after')
      await ask(sandbox.url, 'POST /tools/remove-background', {
        body: { image_url: `${sandbox.url}/samples/mug.png` },
        headers: { 'x-request-id': submitRequestId(key, attempt.n) },
      });
    const withJob = async (): Promise<void> => {
      await startByName(temporal, config, sandbox.url, {
        ...{ key, held: { attempts: [attempt], needsAlert: true }, submit: BRIEF },
        ...{ poll: config.poll, ...more },
      });
      const job = await segueClient(temporal, config).media.get(key);
      await eventually('the hold', async () => (await job.state())?.hold);
      await work(job);
    };
    await withWorker(temporal, config, sandbox.url, withJob, { worker: patientPosts() });
  };

  const decide: HeldJobs['decide'] = ({ workflowId }, decision) =>
    temporal.client.workflow.getHandle(workflowId).executeUpdate(resolveUpdate, { args: [decision] });

  const untilResubmitted: HeldJobs['untilResubmitted'] = (job, hold) =>
    eventually('that it can be submitted again', () =>
      decide(job, { ...SOMEBODY, hold, action: 'resubmit' }),
    );

  const startResubmittable: HeldJobs['startResubmittable'] = async () => {
    const attempts = [{ n: 1, at: new Date(0).toISOString(), outcome: 'unknown' as const, reason: 'a test' }];
    const input = { key: `held-${randomUUID()}`, held: { attempts }, submit: BRIEF };
    const run = await startByName(temporal, config, sandbox.url, input);
    const hold = await withWorker(temporal, config, sandbox.url, () =>
      eventually('that it can be submitted again', async () => {
        const { id, resubmitAfter } = (await run.query(stateQuery)).hold ?? {};
        return Date.now() >= Date.parse(resubmitAfter ?? '') && id;
      }),
    );
    return { run, hold };
  };

  const leaveDecision: HeldJobs['leaveDecision'] = async (run, decision) => {
    const updateId = randomUUID();
    const deciding = run.executeUpdate(resolveUpdate, { updateId, args: [decision] });
    deciding.catch(() => undefined);
    const updateRef = { workflowExecution: { workflowId: run.workflowId }, updateId };
    await eventually('the decision at the server', () =>
      temporal.client.workflowService.pollWorkflowExecutionUpdate({ namespace: 'default', updateRef }),
    );
    return () => deciding;
  };

  const acceptedTask = async (): Promise<string> => {
    const { entries } = await readLedger(sandbox.url);
    return entries.find(({ kind, applied }) => kind === 'submit' && applied)?.taskId ?? 'none';
  };

  const submissions = async (): Promise<LedgerSummary> => (await readLedger(sandbox.url)).summary;

  return {
    temporal,
    sandbox,
    config,
    withHeldJob,
    withJobOfBatch,
    decide,
    untilResubmitted,
    startResubmittable,
    leaveDecision,
    acceptedTask,
    submissions,
  };
}

export async function holdOf(job: MediaJob): Promise<string> {
  return (await job.state())?.hold?.id ?? 'none';
}
