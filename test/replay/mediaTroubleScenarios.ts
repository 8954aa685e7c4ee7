/** Media jobs that were denied, lost, reset, given up, cancelled or answered late, whose histories are committed. */
import { type SegueClient } from '../../src/client';
import { type Job } from '../../src/client/jobs/job';
import { acceptedSignal } from '../../src/contract';
import { eventually } from '../support/eventually';
import { startByName, tasksOf } from '../support/builders/jobs';
import { answeredWhileContinuing } from '../support/builders/lateWhileContinuing';
import { resetRun } from '../support/servers/reset';
import { addFault, answering, startSandbox } from '../support/service/sandbox';
import { segueClient, testConfig, type TestTemporal, withWorker } from '../support/servers/temporal';
import { answerAsWriter } from '../support/builders/writerAnswer';
import { seedProject, WORKSPACE } from '../support/builders/writing';
import { handingOver, type Scenario, whereHistoriesAreShort } from './scenario';
import { mediaJob, runHeld, runRecord } from './scenarios';

const BY_SAM = { by: 'sam', reason: 'looked it up' };

async function resubmit(job: Job): Promise<void> {
  await eventually('that it can be submitted again', () => job.resolve({ ...BY_SAM, action: 'resubmit' }));
}

/** Tells the run of the task that its first submission gave, and of one that it knows nothing of. */
async function tellLateAnswers({ client }: TestTemporal, { workflowId }: Job, taskId: string): Promise<void> {
  const run = client.workflow.getHandle(workflowId);
  await run.signal(acceptedSignal, { hold: 'of a run that was reset/9', taskId: 'another' });
  await run.signal(acceptedSignal, { hold: 'of a run that was reset/1', taskId });
}

const LONG = 40;
const answeredLate = whereHistoriesAreShort(LONG, async (temporal, keep) => {
  const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
  const { workflowId } = await answeredWhileContinuing(temporal, sandbox.url, LONG);
  await keep(temporal.client.workflow.getHandle(workflowId));
  await sandbox.stop();
});

export const mediaTroubleScenarios: Record<string, Scenario> = {
  'media-late-answer-carried-over': answeredLate,
  'media-late-answer-handing-over': handingOver(answeredLate),

  /** Held for its second submission when the answer to the first comes. */
  'media-late-answer-cancelled': (temporal, keep) =>
    runHeld(temporal, keep, 'after', async (job, sandboxUrl) => {
      await addFault(sandboxUrl, {
        ...{ operation: 'remove-background', match: { nth: 1 } },
        ...{ fault: 'reset', when: 'before' },
      });
      await resubmit(job);
      await eventually('the second hold', async () => {
        const { hold } = (await job.state()) ?? {};
        return hold?.id.endsWith('/2');
      });
      const [taskId = ''] = await tasksOf(sandboxUrl, job.key);
      await tellLateAnswers(temporal, job, taskId);
      await job.cancel();
    }),

  async 'media-held-and-cancelled'(temporal, keep) {
    const sandbox = await startSandbox();
    const write = { project: await seedProject(sandbox.url), at: '/media/shoe' };
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'reset', when: 'after' },
    });
    const start = (segue: SegueClient): Promise<Job> =>
      segue.media.start({ ...mediaJob(sandbox.url), write });
    const config = testConfig({ organization: WORKSPACE });
    await runRecord(temporal, config, sandbox.url, start, keep, async (stage, job) => {
      if (stage === 'held') await job.cancel();
      return stage === 'cancelled';
    });
    await sandbox.stop();
  },

  /** The writer answers while the ask still cannot tell where the writer is. */
  async 'media-cancelled-unacknowledged'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const write = { project: await seedProject(sandbox.url), at: '/media/shoe' };
    await addFault(sandbox.url, answering(503, 'get-workspace'));
    const start = (segue: SegueClient): Promise<Job> =>
      segue.media.start({ ...mediaJob(sandbox.url), write });
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, async (stage, job) => {
      if (stage === 'polling') await job.cancel();
      if (stage === 'writing') await answerAsWriter(temporal, job.workflowId);
      return stage === 'cancelled';
    });
    await sandbox.stop();
  },

  async 'media-cancelled-before-its-first-step'(temporal, keep) {
    const sandbox = await startSandbox();
    const config = testConfig();
    const job = await segueClient(temporal, config).media.start(mediaJob(sandbox.url));
    await job.cancel();
    await withWorker(temporal, config, sandbox.url, () => job.wait());
    await keep(temporal.client.workflow.getHandle(job.workflowId));
    await sandbox.stop();
  },

  async 'media-denied'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    await addFault(sandbox.url, {
      ...{ operation: 'remove-background', match: { nth: 1 } },
      ...{ fault: 'status', status: 401, when: 'before' },
    });
    const start = (segue: SegueClient): Promise<Job> => segue.media.start(mediaJob(sandbox.url));
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, (stage) => stage === 'succeeded');
    await sandbox.stop();
  },

  /** The run before it has asked in vain for longer than is waited. */
  async 'media-lost-and-resubmitted'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'polls', polls: 2 } });
    const config = testConfig();
    const { key = '' } = mediaJob(sandbox.url);
    const at = new Date(Date.now() - 600_000).toISOString();
    const start = async (segue: SegueClient): Promise<Job> => {
      await startByName(temporal, config, sandbox.url, {
        ...{ key, poll: config.poll, submit: { timeout: '1s', authGrace: '1h' } },
        carried: {
          ...{ taskId: 'lost', submittedAt: at, number: 1, hold: null, decisions: [], polls: 20 },
          attempts: [{ n: 1, at, outcome: 'accepted', taskId: 'lost' }],
          ...{ knownTasks: [], otherTasks: [], deniedSince: null, pollingSince: at, missingSince: at },
          ...{ listeners: [], reset: false },
        },
      });
      return segue.media.get(key);
    };
    await runRecord(temporal, config, sandbox.url, start, keep, async (stage, job) => {
      if (stage === 'held') await resubmit(job);
      return stage === 'succeeded';
    });
    await sandbox.stop();
  },

  async 'media-reset'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const start = (segue: SegueClient): Promise<Job> => segue.media.start(mediaJob(sandbox.url));
    let isReset = false;
    let isAdopted = false;
    await runRecord(temporal, testConfig(), sandbox.url, start, keep, async (stage, job) => {
      if (stage === 'polling' && !isReset) await resetRun(temporal, job);
      isReset ||= stage === 'polling';
      if (stage !== 'held') return stage === 'polling' && isAdopted;
      const [taskId = ''] = await tasksOf(sandbox.url, job.key);
      await job.resolve({ ...BY_SAM, action: 'adopt', taskId });
      isAdopted = true;
      return false;
    });
    await sandbox.stop();
  },

  /** The run has a time limit, and it is over before the pause is. */
  async 'media-pause-kept-by-the-run'(temporal, keep) {
    const sandbox = await startSandbox();
    const config = testConfig();
    await withWorker(temporal, config, sandbox.url, async () => {
      const adopted = { taskId: 'a-task', poll: { min: '1m', max: '1m' } } as const;
      const { key = '' } = mediaJob(sandbox.url);
      const run = await startByName(
        temporal,
        config,
        sandbox.url,
        { key, ...adopted },
        { workflowRunTimeout: '3s' },
      );
      await run.result().catch(() => undefined);
      await keep(run);
    });
    await sandbox.stop();
  },

  async 'media-given-up'(temporal, keep) {
    const sandbox = await startSandbox({ pace: { kind: 'time', ms: 3_600_000 } });
    const config = testConfig({ poll: { min: '50ms', max: '100ms', deadline: '1s', giveUp: '1s' } });
    const start = (segue: SegueClient): Promise<Job> => segue.media.start(mediaJob(sandbox.url));
    await runRecord(temporal, config, sandbox.url, start, keep, (stage) => stage === 'failed');
    await sandbox.stop();
  },
};
