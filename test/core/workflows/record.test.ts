/** Waiting for assets, runs and videos on a real Temporal server, against the sandbox over real sockets. */
import { randomUUID } from 'node:crypto';
import { type RecordKind, type RecordStatus } from '../../../src/contract';
import { InvalidInput, KeyReused } from '../../../src/errors';
import { recordKey, recordWorkflowId } from '../../../src/contract/ids';
import { eventually } from '../../support/eventually';
import { SANDBOX_PLACES, seedRecord } from '../../support/service/records';
import { useSandbox } from '../../support/service/sandbox';
import { segueClient, testConfig, useTemporal, useWorker, withWorker } from '../../support/servers/temporal';
import { asReport } from '../../support/builders/jobs';

const temporal = useTemporal();
const sandbox = useSandbox();
const config = testConfig();
useWorker(temporal, config, sandbox, { layout: SANDBOX_PLACES });

describe('waiting for a record', () => {
  test.each<[string, RecordKind, RecordStatus[], RecordStatus[], string, RecordStatus]>([
    ['P5: an asset is done at 4, and at nothing before', 'asset', [0, 1, 2, 3, 5, 4], [], 'succeeded', 4],
    ['P5: an asset ends as failed at a status that is named', 'asset', [1, 3, 4], [3], 'failed', 3],
    [
      'P5: a run that is PAUSED is not over',
      'run',
      ['RUNNING', 'PAUSED', 'COMPLETED'],
      [],
      'succeeded',
      'COMPLETED',
    ],
    ['P5: a run that is FAILED failed', 'run', ['RUNNING', 'FAILED'], [], 'failed', 'FAILED'],
    ['P5: a run that is TERMINATED failed', 'run', ['TERMINATED'], [], 'failed', 'TERMINATED'],
    ['P5: a run that is TIMED_OUT failed', 'run', ['CONTINUED', 'TIMED_OUT'], [], 'failed', 'TIMED_OUT'],
    [
      'P5: PAUSED can be named as a failure',
      'run',
      ['RUNNING', 'PAUSED', 'COMPLETED'],
      ['PAUSED'],
      'failed',
      'PAUSED',
    ],
    [
      'P5: a video is over by its job_status',
      'video',
      ['QUEUED', 'SUCCESS', 'DONE'],
      [],
      'succeeded',
      'DONE',
    ],
    ['P5: a video that is FAILED failed', 'video', ['MADE_UP', 'FAILED'], [], 'failed', 'FAILED'],
  ])('%s', async (_case, kind, statuses, failOn, status, last) => {
    const id = await seedRecord(sandbox.url, kind, statuses);
    const report = await segueClient(temporal, config).records.run({ kind, id, failOn }).catch(asReport);
    const record = { id, [kind === 'video' ? 'job_status' : 'status']: last };
    expect(report).toMatchObject({
      workflowId: `record/${kind}~${id}`,
      status,
      info: record,
      taskId: null,
    });
    if (status === 'failed') expect(report.error).toContain(`${kind} ${id}`);
    const state: unknown = await temporal.client.workflow.getHandle(report.workflowId).query('state');
    expect(state).toMatchObject({
      kind,
      id,
      recordStatus: last,
      stage: status,
      polls: statuses.indexOf(last) + 1,
    });
  });

  test('a path that nobody configured ends at once with the name of the setting; configured, it begins anew', async () => {
    const id = await seedRecord(sandbox.url, 'asset', [4]);
    const { records } = segueClient(temporal, config);
    const other = testConfig();
    const first = await withWorker(temporal, other, sandbox.url, () =>
      segueClient(temporal, other).records.run({ kind: 'asset', id }).catch(asReport),
    );
    expect(first).toMatchObject({ status: 'failed', error: expect.stringContaining('set SEGUE_ASSET_PATH') });
    const second = await records.run({ kind: 'asset', id });
    expect(second).toMatchObject({ status: 'succeeded', existing: false });
    expect(second.runId).not.toBe(first.runId);
    // What was learned is given back.
    expect(await records.run({ kind: 'asset', id })).toMatchObject({ runId: second.runId, existing: true });
  });

  test('the same record is one wait; asked for otherwise while it runs it is refused, afterwards it begins anew', async () => {
    const id = await seedRecord(sandbox.url, 'run', ['PAUSED']);
    const { records } = segueClient(temporal, config);
    const first = await records.start({ kind: 'run', id });
    // Other languages write null for what they leave out.
    for (const failOn of [[], null as never])
      expect(await records.start({ kind: 'run', id, failOn })).toMatchObject({ runId: first.runId });
    await expect(records.start({ kind: 'run', id, failOn: ['PAUSED'] })).rejects.toThrow(KeyReused);
    await first.cancel();
    expect(await first.wait()).toMatchObject({ status: 'cancelled' });
    const second = await records.run({ kind: 'run', id, failOn: ['PAUSED'] }).catch(asReport);
    expect(second).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('named as a failure'),
    });
    const again = await records.run({ kind: 'run', id, failOn: ['PAUSED'] }).catch(asReport);
    expect(again).toMatchObject({ runId: second.runId, existing: true });
  });

  test('lists show what is waited for, and its page says what the service said', async () => {
    const id = await seedRecord(sandbox.url, 'video', ['RENDERING']);
    const job = await segueClient(temporal, config).records.start({
      ...{ kind: 'video', id },
      scope: { organization: '1' },
    });
    await eventually('a status', async () => (await job.state())?.recordStatus === 'RENDERING');
    const run = temporal.client.workflow.getHandle(job.workflowId);
    const { typedSearchAttributes } = await run.describe();
    const listed = Object.fromEntries(
      typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    expect(listed).toMatchObject({ SegueStage: 'polling', SegueTool: 'video', SegueWorkspace: '1' });
    expect(await run.query('__temporal_workflow_metadata')).toMatchObject({
      currentDetails: expect.stringMatching(
        /Waiting for the service to end video[^]*Nothing needs to be done[^]*Its status: RENDERING/,
      ),
    });
    await job.cancel();
    await job.wait();
  });

  test('wrong input starts nothing and names every problem', async () => {
    const { records } = segueClient(temporal, testConfig());
    const start = (spec: unknown): Promise<unknown> => records.start(spec as never).catch((e: unknown) => e);
    const error = await start({ kind: 'song', id: ' ', poll: { max: '1' } });
    expect(error).toBeInstanceOf(InvalidInput);
    expect((error as InvalidInput).problems).toHaveLength(3);
    expect(await start({ kind: 'asset', id: 'a', failOn: [3, 4] })).toMatchObject({
      message: expect.stringContaining('failOn: 4 is the status of what is done'),
    });
  });

  test('an id of any form has one run, and can be asked for', async () => {
    const id = `a/b~c ${randomUUID()} ü`;
    expect(recordWorkflowId(recordKey('asset', id))).toMatch(/^record\/asset~a%2Fb%7Ec%20/);
    const job = await segueClient(temporal, config).records.start({ kind: 'asset', id });
    await eventually('a 404', async () => (await job.state())?.lastError?.includes('404'));
    expect(await job.state()).toMatchObject({ stage: 'polling', recordStatus: null });
    await job.cancel();
    await job.wait();
  });
});
