/** What other languages do, with nothing but the `temporal` command: start, read, decide. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cutout, newCampaign } from '../../support/builders/campaign';
import { newKey } from '../../support/builders/jobs';
import { eventually } from '../../support/eventually';
import { shared } from '../../support/jest/shared';
import { useCommandLine } from '../../support/servers/commandLine';
import { addFault, readLedger } from '../../support/service/sandbox';

const { temporal, sandbox, config } = useCommandLine({ pace: { kind: 'instant' } });

/** Runs `temporal workflow ...` and gives the JSON that it prints. */
async function workflow(...args: string[]): Promise<{ result: Record<string, unknown> }> {
  const { stdout } = await promisify(execFile)(shared().temporalBinary, [
    ...['workflow', ...args, '--address', temporal.address, '--output', 'json'],
  ]);
  return JSON.parse(stdout) as { result: Record<string, unknown> };
}

async function query(workflowId: string, type: string): Promise<Record<string, unknown>> {
  const { queryResult } = (await workflow(
    'query',
    '--workflow-id',
    workflowId,
    '--type',
    type,
  )) as unknown as {
    queryResult: Record<string, unknown>[];
  };
  return queryResult[0] ?? {};
}

function update(workflowId: string, name: string, input: object): Promise<unknown> {
  const asked = ['--workflow-id', workflowId, '--name', name, '--input', JSON.stringify(input)];
  return workflow('update', 'execute', ...asked);
}

test('P1: a media job that is held is decided, and submitted once', async () => {
  const key = newKey();
  await addFault(sandbox.url, {
    ...{ operation: 'remove-background', match: { requestId: `${key}.submit.1` } },
    ...{ fault: 'reset', when: 'after' },
  });
  const input = JSON.stringify({ key, poll: config.poll, ...cutout(sandbox.url) });
  const requestId = `request-${key}`;
  await workflow(
    ...['start', '--type', 'mediaRequest', '--workflow-id', requestId],
    ...['--task-queue', config.taskQueue, '--input', input],
  );
  const job = `media/${key}`;
  const hold = await eventually('the hold', async () => {
    const state = await query(job, 'state').catch(() => undefined);
    return state?.hold as { id: string } | null | undefined;
  });
  const { entries } = await readLedger(sandbox.url);
  const accepted = entries.filter(({ requestId: id }) => id?.startsWith(`${key}.submit`));
  expect(accepted).toHaveLength(1);
  const decision = {
    hold: hold.id,
    action: 'adopt',
    taskId: accepted[0]?.taskId,
    by: 'Olga',
    reason: 'found it',
  };
  expect(await update(job, 'resolve', decision)).toMatchObject({ result: { applied: true } });
  expect(await workflow('result', '--workflow-id', requestId)).toMatchObject({
    result: { key, status: 'succeeded', taskId: accepted[0]?.taskId },
  });
  const after = await readLedger(sandbox.url);
  expect(after.entries.filter(({ requestId: id }) => id?.startsWith(`${key}.submit`))).toHaveLength(1);
});

test('a campaign is started, read and approved', async () => {
  const spec = await newCampaign(sandbox.url, {
    ...{ scope: { organization: '1' }, media: { mug: cutout(sandbox.url) }, approval: { from: 'u-2' } },
  });
  const workflowId = `campaign/${spec.key}`;
  await workflow(
    ...['start', '--type', 'campaign', '--workflow-id', workflowId, '--task-queue', config.taskQueue],
    ...['--id-reuse-policy', 'RejectDuplicate', '--id-conflict-policy', 'UseExisting'],
    ...['--memo', 'segueStart="shop"', '--input', JSON.stringify({ ...spec, poll: config.poll })],
  );
  const status = await eventually('the question', async () => {
    const now = await query(workflowId, 'status').catch(() => undefined);
    return now?.approval ? now : undefined;
  });
  expect(status).toMatchObject({ stage: 'approving' });
  await update(workflowId, 'decide', { decision: 'approve', by: 'u-2' });
  expect(await workflow('result', '--workflow-id', workflowId)).toMatchObject({
    result: { status: 'completed', decisions: [{ decision: 'approve', by: 'u-2' }] },
  });
});
