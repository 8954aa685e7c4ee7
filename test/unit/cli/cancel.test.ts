/** `cancel` of a run that ends, or not, in the same moment. */
import { PassThrough } from 'node:stream';
import { cancelRun } from '../../../src/cli/lib/noun';
import { withIo } from '../../../src/cli/lib/io';
import { type JobReport, type JobStatus } from '../../../src/client/report';
import { type Run } from '../../../src/client/run';

/** A run that is found in these states, one after the other, and cannot be cancelled. */
function runThatIs(...statuses: JobStatus[]): Run {
  const facts = { workflowId: 'media/k', runId: 'r', key: 'k', stage: null, taskId: null, info: null };
  const reports = statuses.map((status): JobReport => ({ ...facts, status, existing: true, error: null }));
  return {
    workflowId: 'media/k',
    report: () => Promise.resolve(reports.shift()),
    cancel: () => Promise.reject(new Error('workflow execution already completed')),
  } as unknown as Run;
}

async function cancel(run: Run): Promise<{ code: unknown; stdout: unknown; stderr: unknown }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let code: unknown;
  await withIo({ env: {}, stdin, stdout, stderr }, async () => {
    code = await cancelRun(run, {}, 'It continues.');
  });
  return { code, stdout: stdout.read(), stderr: String(stderr.read()) };
}

test.each([
  ['succeeded', 1],
  ['cancelled', 0],
] as const)(
  'one that ends in the same moment is told as %s, and the exit code is %d',
  async (status, code) => {
    expect(await cancel(runThatIs('running', status))).toEqual({
      ...{ code, stdout: null },
      stderr: `media/k is over already: ${status}. Nothing was cancelled.\n`,
    });
  },
);

test('the error of one that is still open is not hidden', async () => {
  await expect(cancel(runThatIs('running', 'held'))).rejects.toThrow('already completed');
});
