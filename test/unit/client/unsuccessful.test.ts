import { inspect } from 'node:util';
import { type Client } from '@temporalio/client';
import { JobFailed, JobHeld, type JobReport, type JobStatus, JobUnsaved } from '../../../src/client';
import { MediaJob } from '../../../src/client/jobs/job';
import { type Run } from '../../../src/client/run';
import { requireSuccess } from '../../../src/client/unsuccessful';

const job = {} as Run;

function reportOf(status: JobStatus, error: string | null = null): JobReport {
  const ids = { workflowId: 'media/spring', runId: 'r-1', key: 'spring', existing: false };
  return { ...ids, status, stage: status, taskId: 't-9', info: { seen: 1 }, error };
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('a success is given as it is', () => {
  const report = reportOf('succeeded');
  expect(requireSuccess(report, job)).toBe(report);
});

test.each([
  ['failed', JobFailed],
  ['abandoned', JobFailed],
  ['cancelled', JobFailed],
  ['terminated', JobFailed],
  ['held', JobHeld],
  ['unsaved', JobUnsaved],
] as const)("%s is thrown, with its task, its report and the service's words", (status, type) => {
  const report = reportOf(status, 'too small');
  const require = () => requireSuccess(report, job);
  expect(require).toThrow(type);
  expect(require).toThrow(`media/spring is ${status} (task t-9): too small`);
  expect(thrownBy(require)).toMatchObject({ name: type.name, taskId: 't-9', report });
});

test('P7: an error that is logged with its job does not show the credentials of Temporal', () => {
  const temporal = { connection: { options: { apiKey: 'secret-1' } } } as unknown as Client;
  const { workflowId, key, runId, existing } = reportOf('failed');
  const facts = { workflowId, key, runId, existing, startTime: new Date(), taskQueue: 'segue' };
  const error = new JobFailed(reportOf('failed'), new MediaJob(temporal, facts));
  expect(JSON.stringify(error)).toContain('r-1');
  expect(JSON.stringify(error) + inspect(error, { depth: 9 })).not.toContain('secret-1');
});
