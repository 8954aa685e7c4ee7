/** Records whose status is polled, and a transcription's subtitles. The end of a record is judged by its own status only. */
import { z } from 'zod';
import { fillPath, type MissingSetting, type Operation, opaqueId, uuid } from '../operation';

/** `SUCCESS` and `FAILURE` are the end; every other status, known or not, means "still running". */
const taskPoll = z.looseObject({ status: z.string(), info: z.unknown().optional() });

export const getTask: Operation<{ id: string }, z.infer<typeof taskPoll>> = {
  name: 'get task',
  request: z.strictObject({ id: opaqueId }),
  toHttp: ({ id }) => ({ method: 'GET', path: fillPath('/api/v1/tasks/{id}', { id }) }),
  response: taskPoll,
  members: ['status', 'info'],
};

const jobRecord = z.looseObject({ job_status: z.string() });

/** A transcription's `task_id` tracks its submission only; `job_status` alone tells when it is over. */
export const getTranscription: Operation<{ id: string }, z.infer<typeof jobRecord>> = {
  name: 'get transcription',
  request: z.strictObject({ id: uuid }),
  toHttp: ({ id }) => ({ method: 'GET', path: fillPath('/api/v1/transcription/{id}', { id }) }),
  response: jobRecord,
};

const assetRecord = z.looseObject({ status: z.int() });

export const getAsset: Operation<{ id: string }, z.infer<typeof assetRecord>> = {
  name: 'get asset',
  request: z.strictObject({ id: opaqueId }),
  toHttp: ({ id }, { assetPath }) => atConfigured(assetPath, 'SEGUE_ASSET_PATH', 'the path of an asset', id),
  response: assetRecord,
};

const runRecord = z.looseObject({ status: z.string() });

export const getRun: Operation<{ id: string }, z.infer<typeof runRecord>> = {
  name: 'get workflow run',
  request: z.strictObject({ id: opaqueId }),
  toHttp: ({ id }, { runPath }) => atConfigured(runPath, 'SEGUE_RUN_PATH', 'the path of a workflow run', id),
  response: runRecord,
  onNotFound: 'is this the ID of a run? The ID of a workflow definition names another resource',
};

export const getVideo: Operation<{ id: string }, z.infer<typeof jobRecord>> = {
  name: 'get video',
  request: z.strictObject({ id: opaqueId }),
  toHttp: ({ id }, { videoPath }) =>
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

const subtitlesRequest = z.strictObject({
  id: uuid,
  requested_format: z.enum(['srt', 'vtt']).optional(),
});

/** The service answers with an empty file until the transcription is `DONE`. */
export type Subtitles = { ready: false } | { ready: true; text: string };

export const getSubtitles: Operation<z.infer<typeof subtitlesRequest>, Subtitles> = {
  name: 'download subtitles',
  request: subtitlesRequest,
  toHttp: ({ id, requested_format }) => ({
    method: 'GET',
    path: fillPath('/api/v1/transcription/{id}/download_transcription_file', { id }),
    query: { requested_format },
  }),
  text: true,
  read: ({ body }) => (body === '' ? { ready: false } : { ready: true, text: body }),
  response: z.discriminatedUnion('ready', [
    z.object({ ready: z.literal(false) }),
    z.object({ ready: z.literal(true), text: z.string() }),
  ]),
};
