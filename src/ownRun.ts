/** Which run stands for a job. */
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { quoted } from './client/listing';
import { MEDIA_WORKFLOW, START_MEMO } from './contract';

/** Whether it is a media run that was refused, because it was not started by Segue. */
export function isRefusedStart({ type, status, memo }: Omit<WorkflowExecutionInfo, 'raw'>): boolean {
  return type === MEDIA_WORKFLOW && status.name === 'FAILED' && memo?.[START_MEMO] === undefined;
}

export interface OwnRun extends WorkflowExecutionDescription {
  /** Whether a later run of the same id, which was refused, hides it. */
  isHidden?: boolean;
}

/** The latest run of an id. One that was refused hides the job that ran before it: then that is looked up in the list. */
export async function describeOwnRun({ workflow }: Client, workflowId: string): Promise<OwnRun> {
  const latest = await workflow.getHandle(workflowId).describe();
  if (!isRefusedStart(latest)) return latest;
  const query = `WorkflowType = '${MEDIA_WORKFLOW}' AND WorkflowId = ${quoted(workflowId)}`;
  let own: WorkflowExecutionInfo | undefined;
  for await (const run of workflow.list({ query }))
    if (!isRefusedStart(run) && (!own || run.startTime > own.startTime)) own = run;
  if (!own) return latest;
  return { ...(await workflow.getHandle(workflowId, own.runId).describe()), isHidden: true };
}
