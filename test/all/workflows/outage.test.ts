/** A service in trouble: what it costs, and that nothing is lost. */
import { randomUUID } from 'node:crypto';
import { createActivities } from '../../../src/activities';
import { type SubmitOutcome } from '../../../src/contract';
import { testApi } from '../../support/service/api';
import { eventually } from '../../support/eventually';
import { recordingMeter } from '../../support/servers/meter';
import { answer, startRawServer } from '../../support/service/rawServer';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';
import { activityEnvironment } from '../../support/servers/log';
import { asReport } from '../../support/builders/jobs';

const close = ['connection: close'];
const ACCEPTED = answer('202 Accepted', '{"task_id":"t-1"}', close);
const DONE = answer('200 OK', '{"status":"SUCCESS","info":{}}', close);
const WORKSPACE = answer('200 OK', '{"workspace":{"id":1}}', close);
const OVERLOADED = answer('503 Service Unavailable', 'overloaded', close);
const DENIED = answer('401 Unauthorized', 'no such key', close);

/** A service that gives one answer to everything, or is well. */
async function startService() {
  const service = { trouble: undefined as string | undefined, posts: 0, reads: 0 };
  const server = await startRawServer((socket, request) => {
    const isPost = request.startsWith('POST');
    const isRead = request.startsWith('GET /api/v1/workspaces/');
    if (isPost) service.posts += 1;
    if (isRead) service.reads += 1;
    socket.end(service.trouble ?? (isPost ? ACCEPTED : isRead ? WORKSPACE : DONE));
  });
  return { service, server };
}

function job() {
  const request = { image_url: 'https://example.com/a.png' };
  return { key: `job-${randomUUID()}`, tool: 'remove-background', request };
}

/** Hundreds of jobs are a few thousand workflow tasks. */
const OUTAGE_TIMEOUT_MS = shared().full ? 900_000 : 180_000;

const temporal = useTemporal();

test(
  'P1 P2: 503 on every operation holds what was on the wire and three, and the others go on afterwards',
  async () => {
    // Each tries again every minute: of more, a busy machine would always have many that are about to.
    const JOBS = shared().full ? 300 : 40;
    const limits = { maxSubmits: 5 };
    const { service, server } = await startService();
    service.trouble = OVERLOADED;
    const config = testConfig();
    await withWorker(
      temporal,
      config,
      server.url,
      async () => {
        const { media } = segueClient(temporal, config);
        const jobs = await Promise.all(Array.from({ length: JOBS }, () => media.start(job())));
        // By the list: to ask hundreds of runs one by one keeps the worker from everything else.
        const count = async (condition: string): Promise<number> => {
          const query = `TaskQueue = '${config.taskQueue}' AND ${condition}`;
          return (await temporal.client.workflow.count(query)).count;
        };
        const inVain = OUTAGE_TIMEOUT_MS / 2;
        const held = await eventually(
          'the jobs to be held or waiting',
          async () => {
            const [isHeld, isWaiting] = [
              await count(`SegueStage = 'held'`),
              await count(`SegueStage = 'waiting'`),
            ];
            // Those that wait try again now and then, and of many a few are always about to.
            return isHeld === service.posts && isHeld + isWaiting >= JOBS * 0.9 ? isHeld : undefined;
          },
          inVain,
        );
        expect(held).toBeGreaterThan(0);
        expect(service.posts).toBeLessThanOrEqual(limits.maxSubmits + 3);
        const states = await Promise.all(jobs.slice(0, limits.maxSubmits + 4).map((one) => one.state()));
        expect(states.map((state) => state?.lastError).join()).toMatch(
          /holds submits back since .*status 503: overloaded/,
        );

        service.trouble = undefined;
        const ended = `ExecutionStatus = 'Completed'`;
        await eventually('the others to end', async () => (await count(ended)) === JOBS - held, inVain);
        expect(await count(`SegueStage = 'held' AND ExecutionStatus = 'Running'`)).toBe(held);
        expect(service.posts).toBe(JOBS);
        process.stderr.write(`outage: ${JOBS} jobs, ${held} held, ${JOBS - held} succeeded\n`);
        for (const { workflowId, runId } of jobs) {
          const handle = temporal.client.workflow.getHandle(workflowId, runId);
          if ((await handle.describe()).status.name === 'RUNNING') await handle.terminate();
        }
      },
      { limits },
    );
    await server.stop();
  },
  OUTAGE_TIMEOUT_MS,
);

test('P2: a key that is denied everywhere ends the job after the grace, with one POST a job or none', async () => {
  const { service, server } = await startService();
  service.trouble = DENIED;
  const config = testConfig({ submit: { timeout: '10m', authGrace: '0s' } });
  await withWorker(temporal, config, server.url, async () => {
    const { media } = segueClient(temporal, config);
    for (let n = 0; n < 4; n++) {
      const report = await media.run(job()).catch(asReport);
      expect(report).toMatchObject({ status: 'failed', error: expect.stringContaining('no such key') });
    }
  });
  expect(service).toMatchObject({ posts: 3, reads: 1 });
  await server.stop();
});

describe('what an operator can see', () => {
  async function submits(count: number, trouble: string | undefined) {
    const { service, server } = await startService();
    service.trouble = trouble;
    const api = testApi(server.url);
    const ofProcess = recordingMeter();
    const ofActivity = recordingMeter();
    const { submits } = createActivities(api, { checkScheduledTime: false, meter: ofProcess });
    const outcomes: SubmitOutcome[] = [];
    const submitOnce = async (): Promise<void> => {
      const info = { startToCloseTimeoutMs: 30_000 };
      const environment = activityEnvironment(info, { metricMeter: ofActivity });
      const runId = environment.context.info.workflowExecution?.runId ?? '';
      outcomes.push(await environment.run(submits.submit, { ...job(), attempt: 1, runId }));
    };
    for (let n = 0; n < count; n++) await submitOnce();
    const stop = async (): Promise<void> => {
      await api.close();
      await server.stop();
    };
    return { service, outcomes, submitOnce, ofProcess, ofActivity, stop };
  }

  test('the breaker opens and closes, in metrics', async () => {
    const { service, submitOnce, ofProcess, stop } = await submits(3, OVERLOADED);
    expect(ofProcess.recorded).toEqual(['segue_breaker_changes{to="open"} 1', 'segue_breaker_open{} 1']);
    service.trouble = undefined;
    await submitOnce();
    expect(service.reads).toBe(1);
    expect(ofProcess.recorded.slice(2)).toEqual([
      'segue_breaker_changes{to="closed"} 1',
      'segue_breaker_open{} 0',
    ]);
    await stop();
  });

  test('every submit is counted by outcome and tool', async () => {
    const { ofActivity, stop } = await submits(4, OVERLOADED);
    const told = ['unknown', 'unknown', 'unknown', 'notSent'].map(
      (outcome) => `segue_submits{outcome="${outcome}",tool="remove-background"} 1`,
    );
    expect(ofActivity.recorded.map((line) => line.replace(/\{.*(?=outcome)/, '{'))).toEqual(told);
    await stop();
  });
});
