import { z } from 'zod';
import { fillPath, type Operation } from '../operation';
import { uuid } from './fields';

const request = z.strictObject({
  id: uuid,
  requested_format: z.enum(['srt', 'vtt']).optional(),
});

/** The service answers with an empty file until the transcription is `DONE`. */
export type Subtitles = { ready: false } | { ready: true; text: string };

export const getSubtitles: Operation<z.infer<typeof request>, Subtitles> = {
  name: 'download subtitles',
  request,
  ask: ({ id, requested_format }) => ({
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
