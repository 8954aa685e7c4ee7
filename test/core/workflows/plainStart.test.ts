/** Closed runs that somebody starts again by hand, with the default policies of every SDK, the `temporal` command and the UI. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type SegueClient } from '../../../src/client';
import { type OutlookResult } from '../../../src/contract';
import { nudgeWorkflowId } from '../../../src/contract/ids';
import { inputOf } from '../../../src/runs/start';
import { cutout, newCampaign } from '../../support/builders/campaign';
import { untilEnded } from '../../support/builders/jobs';
import { newLook, outlooksOf } from '../../support/builders/outlook';
import { onAWednesday } from '../../support/builders/workingHours';
import { seedProject } from '../../support/builders/writing';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { segueClient, testConfig, useTemporal, useWorker } from '../../support/servers/temporal';
import { seedTranscription } from '../../support/service/records';
import { readLedger, useSandbox } from '../../support/service/sandbox';

const temporal = useTemporal();
const sandbox = useSandbox({ pace: { kind: 'instant' } });
const config = testConfig();
useWorker(temporal, config, sandbox, { wallClock: onAWednesday });

const notify = { userId: 'u-1', workspaceId: '1' };

/** What runs to its end, and tells its user. */
const closed: Record<string, (segue: SegueClient) => Promise<string>> = {
  campaign: async ({ campaign }) => {
    const spec = await newCampaign(sandbox.url, { notify, media: { mug: cutout(sandbox.url) } });
    return (await campaign.run(spec)).workflowId;
  },
  transcript: async ({ transcripts }) => {
    const transcriptionId = await seedTranscription(sandbox.url, { pace: 'instant' });
    const write = { project: await seedProject(sandbox.url), at: '/subtitles' };
    return (await transcripts.run({ transcriptionId, write, notify })).workflowId;
  },
  nudge: async ({ outlooks }) => {
    const { board } = await outlooksOf(sandbox).somethingToLookAt();
    const project = await seedProject(sandbox.url, { campaign: { lifecycle: { stage: 'approving' } } });
    const { info } = await outlooks.run({ key: newLook(), project, boards: [board], notify });
    const { week, nudges } = info as OutlookResult;
    expect(nudges).toMatchObject([{ notified: { status: 'sent' } }]);
    return nudgeWorkflowId({
      organization: sandbox.workspace,
      project,
      at: '/campaign',
      week,
      subject: 'approval',
    });
  },
};

async function sideEffects() {
  const { submissions, patches, notifications, duplicateNotifications } = (await readLedger(sandbox.url))
    .summary;
  return { submissions, patches, notifications, duplicateNotifications };
}

function start(workflow: string, workflowId: string, input: unknown) {
  return temporal.client.workflow.start(workflow, {
    ...{ workflowId, taskQueue: config.taskQueue, args: [input] },
  });
}

test.each(Object.entries(closed))(
  'P4: a closed %s that is started again plainly writes nothing and notifies nobody',
  async (workflow, runToItsEnd) => {
    const before = await sideEffects();
    const workflowId = await runToItsEnd(segueClient(temporal, config));
    const { runId } = await temporal.client.workflow.getHandle(workflowId).describe();
    const then = await sideEffects();
    expect(then.notifications).toBe(before.notifications + 1);

    const again = await start(workflow, workflowId, await inputOf(temporal.client, { workflowId, runId }));
    await untilEnded(again);
    expect(await sideEffects()).toEqual(then);
    await expect(again.result()).rejects.toMatchObject({
      cause: {
        type: 'UnsafeStart',
        message: expect.stringContaining('Use SegueClient or the `segue` command'),
      },
    });
  },
);

test('P4: after a refused plain start the client still finds the closed campaign and transcript', async () => {
  const segue = segueClient(temporal, config);
  const spec = await newCampaign(sandbox.url, { media: { mug: cutout(sandbox.url) } });
  const transcriptionId = await seedTranscription(sandbox.url, { pace: 'instant' });
  const runs = {
    campaign: () => segue.campaign.run(spec),
    transcript: () => segue.transcripts.run({ transcriptionId }),
  };
  for (const [workflow, run] of Object.entries(runs)) {
    const { workflowId, runId } = await run();
    await untilEnded(
      await start(workflow, workflowId, await inputOf(temporal.client, { workflowId, runId })),
    );
    // The list of runs lags behind.
    await eventually('its own run', async () => (await run()).runId === runId);
    expect(await run()).toMatchObject({ runId, existing: true, status: 'succeeded' });
  }
});

test('P4: the `temporal` command starts a transcript with the memo and the policies that the documents name, once', async () => {
  const key = randomUUID();
  const transcriptionId = await seedTranscription(sandbox.url, { pace: 'instant' });
  const input = JSON.stringify({ key, transcriptionId, notify, poll: config.poll });
  const execute = async (): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(shared().temporalBinary, [
      ...['workflow', 'execute', '--type', 'transcript', '--workflow-id', `transcript/${key}`],
      ...['--task-queue', config.taskQueue, '--input', input, '--memo', 'segueStart="shop"'],
      ...['--id-reuse-policy', 'RejectDuplicate', '--id-conflict-policy', 'UseExisting'],
      ...['--address', temporal.address, '--output', 'json'],
    ]);
    return (JSON.parse(stdout) as { result: unknown }).result;
  };
  const { notifications } = await sideEffects();
  const first = await execute();
  expect(first).toMatchObject({ key, status: 'succeeded' });
  // The command gives the result of the closed run.
  expect(await execute()).toEqual(first);
  expect((await sideEffects()).notifications).toBe(notifications + 1);
});
