/** Who is notified of a job: its user, and the operator of a job that needs a person. */
import { randomUUID } from 'node:crypto';
import { type MediaJob } from '../../../src/client/jobs/job';
import { type RuleRequest } from '../../../src/sandbox/faults/rules';
import { eventually } from '../../support/eventually';
import { addFault, ask, readLedger, withSandbox } from '../../support/service/sandbox';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, withWorker } from '../../support/servers/temporal';

const temporal = useTemporal();

/** They run side by side: most of it is waiting until what was denied is tried again. */
const withService = (work: (sandboxUrl: string) => Promise<void>): Promise<void> =>
  withSandbox({ pace: { kind: 'instant' } }, work);
const LONGEST_MS = 180_000;

const notify = { userId: 'u-1', workspaceId: '1', threadId: 't-9', ctaLabel: 'Look' };

async function notifications(sandboxUrl: string): Promise<Told[]> {
  return (await ask(sandboxUrl, 'GET /_sandbox/notifications')).json.notifications as Told[];
}

test.concurrent(
  'only the events that were asked for are told',
  () =>
    withService(async (sandboxUrl) => {
      const config = testConfig();
      await withWorker(temporal, config, sandboxUrl, async () => {
        const request = { image_url: `${sandboxUrl}/samples/mug.png` };
        const spec = { key: `end-${randomUUID()}`, tool: 'remove-background', request };
        const report = await segueClient(temporal, config).media.run({
          ...spec,
          notify: { ...notify, on: ['failed'] },
        });
        expect(report).toMatchObject({ status: 'succeeded' });
      });
      expect(await notifications(sandboxUrl)).toEqual([]);
    }),
  LONGEST_MS,
);

const operator = { userId: 'op', workspaceId: '42' };

/** Starts a job whose first POST meets the fault, and gives it to `work`. */
async function withTroubledJob(
  sandboxUrl: string,
  fault: Pick<RuleRequest, 'fault' | 'status'>,
  work: (job: MediaJob) => Promise<void>,
): Promise<Told[]> {
  const rule = { operation: 'remove-background', match: { nth: 1 }, when: 'before' } as const;
  await addFault(sandboxUrl, { ...rule, ...fault });
  const config = testConfig();
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  const spec = { key: `end-${randomUUID()}`, tool: 'remove-background', request, notify };
  const run = async (): Promise<void> => work(await segueClient(temporal, config).media.start(spec));
  await withWorker(temporal, config, sandboxUrl, run, { operator });
  expect((await readLedger(sandboxUrl)).summary).toMatchObject({ duplicateNotifications: 0 });
  return await notifications(sandboxUrl);
}

interface Told {
  request: { userId: string; category: string; body: string; _extra: { event_type: string } };
}

async function untilTold(sandboxUrl: string, count: number): Promise<void> {
  await eventually('the notifications', async () => (await notifications(sandboxUrl)).length === count);
}

const gist = (told: Told[]) =>
  told.map(({ request: { userId, category } }) => `${userId} ${category}`).sort();

test.concurrent(
  'a held job is told to its user and to the operator, once each, with the command that decides it',
  () =>
    withService(async (sandboxUrl) => {
      let key = '';
      const told = await withTroubledJob(sandboxUrl, { fault: 'reset' }, async (job) => {
        ({ key } = job);
        expect(await job.wait()).toMatchObject({ status: 'held' });
        await untilTold(sandboxUrl, 2);
        await job.resolve({ action: 'abandon', by: 'a test', reason: 'seen' });
        await job.wait();
      });
      expect(gist(told)).toEqual(['op agentError', 'u-1 agentError', 'u-1 agentNeedsInput']);
      expect(told[0]?.request.body).toContain(`segue resolve media/${key} --adopt TASK_ID`);
    }),
  LONGEST_MS,
);

test.concurrent(
  'a credential that is denied is told once each, and the job goes on when it works again',
  () =>
    withService(async (sandboxUrl) => {
      const told = await withTroubledJob(sandboxUrl, { fault: 'status', status: 401 }, async (job) => {
        await untilTold(sandboxUrl, 2);
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
    }),
  LONGEST_MS,
);

test.concurrent(
  'many jobs that are denied page the operator once, and each says it of itself',
  () =>
    withService(async (sandboxUrl) => {
      const rule = { operation: 'remove-background', fault: 'status', status: 401, when: 'before' } as const;
      await addFault(sandboxUrl, { ...rule, match: { every: 1 } });
      const config = testConfig();
      const request = { image_url: `${sandboxUrl}/samples/mug.png` };
      const work = async (): Promise<void> => {
        const { media } = segueClient(temporal, config);
        const start = () => media.start({ key: `end-${randomUUID()}`, tool: 'remove-background', request });
        const jobs = await Promise.all(Array.from({ length: shared().full ? 20 : 6 }, start));
        for (const job of jobs)
          await eventually('the denial', async () => (await job.state())?.stage === 'waiting');
        await untilTold(sandboxUrl, 1);
        await ask(sandboxUrl, 'DELETE /_sandbox/faults');
        const reports = await Promise.all(jobs.map((job) => job.wait()));
        expect(reports.every(({ status }) => status === 'succeeded')).toBe(true);
      };
      await withWorker(temporal, config, sandboxUrl, work, { operator });
      expect(gist(await notifications(sandboxUrl))).toEqual(['op agentError']);
    }),
  LONGEST_MS,
);
