/** How a media job is started. */
import { type Client } from '@temporalio/client';
import { MEDIA_WORKFLOW, type MediaInput } from '../contract';
import { mediaWorkflowId } from '../contract/ids';
import { MediaJob } from './jobs/job';
import { startOrFind } from './keyed';
import { attributesOfJob } from '../contract/searchAttributes';
import { askOf } from './jobs/mediaSpec';

/** Starts the job, or gives back the run that its key already has, running or closed. It never submits twice. */
export async function startJob(temporal: Client, taskQueue: string, input: MediaInput): Promise<MediaJob> {
  const { key, tool, taskId } = input;
  const facts = await startOrFind(temporal, {
    workflow: MEDIA_WORKFLOW,
    workflowId: mediaWorkflowId(key),
    ...{ taskQueue, key, input, askOf },
    attributes: attributesOfJob(input, taskId === undefined ? 'submitting' : 'polling'),
    summary: `${tool} for ${key}`,
  });
  return new MediaJob(temporal, facts);
}
