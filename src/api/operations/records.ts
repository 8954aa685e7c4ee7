/** Records whose status is polled. Their end is judged by their own status, and by nothing else. */
import { z } from 'zod';
import { fillPath, type MissingSetting, type Operation } from '../operation';
import { opaqueId, uuid } from './fields';

/** `SUCCESS` and `FAILURE` are the end; every other status, known or not, means "still running". */
const taskPoll = z.looseObject({ status: z.string(), info: z.unknown().optional() });

export const getTask: Operation<{ id: string }, z.infer<typeof taskPoll>> = {
  name: 'get task',
  request: z.strictObject({ id: opaqueId }),
  ask: ({ id }) => ({ method: 'GET', path: fillPath('/api/v1/tasks/{id}', { id }) }),
  response: taskPoll,
  members: ['status', 'info'],
};

const jobRecord = z.looseObject({ job_status: z.string() });

/** A transcription's `task_id` tracks its submission only; `job_status` alone tells when it is over. */
export const getTranscription: Operation<{ id: string }, z.infer<typeof jobRecord>> = {
  name: 'get transcription',
  request: z.strictObject({ id: uuid }),
  ask: ({ id }) => ({ method: 'GET', path: fillPath('/api/v1/transcription/{id}', { id }) }),
  response: jobRecord,
};

const assetRecord = z.looseObject({ status: z.int() });

export const getAsset: Operation<{ id: string }, z.infer<typeof assetRecord>> = {
  name: 'get asset',
  request: z.strictObject({ id: opaqueId }),
  ask: ({ id }, { assetPath }) => atConfigured(assetPath, 'SEGUE_ASSET_PATH', 'the path of an asset', id),
  response: assetRecord,
};

const runRecord = z.looseObject({ status: z.string() });

export const getRun: Operation<{ id: string }, z.infer<typeof runRecord>> = {
  name: 'get workflow run',
  request: z.strictObject({ id: opaqueId }),
  ask: ({ id }, { runPath }) => atConfigured(runPath, 'SEGUE_RUN_PATH', 'the path of a workflow run', id),
  response: runRecord,
  onMissing: 'is this the ID of a run? The ID of a workflow definition names another resource',
};

export const getVideo: Operation<{ id: string }, z.infer<typeof jobRecord>> = {
  name: 'get video',
  request: z.strictObject({ id: opaqueId }),
  ask: ({ id }, { videoPath }) =>
    atConfigured(videoPath, 'SEGUE_VIDEO_PATH', 'the path of a video record', id),
  response: jobRecord,
};

function atConfigured(
  template: string | undefined,
  setting: string,
  what: string,
  id: string,
): { method: 'GET'; path: string } | MissingSetting {
  return template === undefined
    ? { setting, problem: `${what} is not published` }
    : { method: 'GET', path: fillPath(template, { id }) };
}
