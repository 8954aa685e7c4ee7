/** What `run` and `result` throw for a run that did not succeed. */
import { SegueError } from '../errors';
import { type JobReport, type SuccessReport } from './report';
import { type Run } from './run';

/** The run did not succeed; `report` says how it stands, as `wait` does, which throws nothing. */
export abstract class JobUnsuccessful extends SegueError {
  readonly taskId: string | null;

  constructor(
    readonly report: JobReport,
    /** The same run, to look at, wait for or decide. */
    readonly job: Run,
    options?: ErrorOptions,
  ) {
    const { workflowId, status, taskId, error } = report;
    const task = taskId === null ? '' : ` (task ${taskId})`;
    super(`${workflowId} is ${status}${task}${error === null ? '' : `: ${error}`}`, options);
    this.taskId = taskId;
  }
}

/**
 * It failed, or was abandoned, cancelled or terminated: `report.status` says which, `report.error` why, in the service's
 * words, and `report.info` has what the service listed.
 */
export class JobFailed extends JobUnsuccessful {}

/** A person must decide. `job.result()` keeps waiting for the end; held items of a batch are separate jobs. */
export class JobHeld extends JobUnsuccessful {}

/** It has its result (`report.info`), but the project did not take it. A retry writes it again, and pays nothing. */
export class JobUnsaved extends JobUnsuccessful {}

export function requireSuccess(report: JobReport, job: Run): SuccessReport {
  if (report.status === 'succeeded') return report as SuccessReport;
  if (report.status === 'held') throw new JobHeld(report, job);
  throw report.status === 'unsaved' ? new JobUnsaved(report, job) : new JobFailed(report, job);
}
