/** Records whose status is polled, and a transcription's subtitles. The end of a record is judged by its own status only. */
import { z } from 'zod';
import { fillPath, MissingSetting, type Operation, opaqueId, type ServiceLayout, uuid } from '../operation';

type ById<Response> = Operation<{ id: string }, Response>;

/** `SUCCESS` and `FAILURE` are the end; every other status, known or not, means "still running". */
const taskPoll = z.looseObject({ status: z.string(), info: z.unknown().optional() });

export const getTask: ById<z.infer<typeof taskPoll>> = {
  name: 'get task',
  request: z.strictObject({ id: opaqueId }),
  toHttp: ({ id }) => ({ method: 'GET', path: fillPath('/api/v1/tasks/{id}', { id }) }),
  response: taskPoll,
  members: ['status', 'info'],
};

const jobRecord = z.looseObject({ job_status: z.string() });

/** A transcription's `task_id` tracks its submission only; only `job_status` shows that it is over. */
export const getTranscription: ById<z.infer<typeof jobRecord>> = {
  name: 'get transcription',
  request: z.strictObject({ id: uuid }),
  toHttp: ({ id }) => ({ method: 'GET', path: fillPath('/api/v1/transcription/{id}', { id }) }),
  response: jobRecord,
};

export const getAsset = atConfiguredPath(
  'get asset',
  ['assetPath', 'SEGUE_ASSET_PATH', 'an asset'],
  z.looseObject({ status: z.int() }),
);

export const getRun = atConfiguredPath(
  'get workflow run',
  ['runPath', 'SEGUE_RUN_PATH', 'a workflow run'],
  z.looseObject({ status: z.string() }),
  'is this the ID of a run? The ID of a workflow definition names another resource',
);

export const getVideo = atConfiguredPath(
  'get video',
  ['videoPath', 'SEGUE_VIDEO_PATH', 'a video record'],
  jobRecord,
);

/** A record whose path is not published. */
function atConfiguredPath<Response>(
  name: string,
  [at, setting, what]: ['assetPath' | 'runPath' | 'videoPath', string, string],
  response: z.ZodType<Response>,
  onNotFound?: string,
): ById<Response> {
  const pathIn = (layout: ServiceLayout): string => {
    const path = layout[at];
    if (path === undefined) throw new MissingSetting(setting, `the path of ${what} is not published`);
    return path;
  };
  return {
    ...{ name, response, onNotFound },
    request: z.strictObject({ id: opaqueId }),
    toHttp: ({ id }, layout) => ({ method: 'GET', path: fillPath(pathIn(layout), { id }) }),
  };
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
