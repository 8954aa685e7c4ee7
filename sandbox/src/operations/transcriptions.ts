import { z } from 'zod';
import { isVisible } from '../access';
import { defineOperation, notFound, type Service, text } from '../operation';
import { isOver, parsePace } from '../pace';
import { type Change, type State } from '../state';
import { srt, vtt } from '../subtitles';

type Transcription = typeof State.prototype.transcriptions extends Map<string, infer Item> ? Item : never;

const path = z.object({ id: text });

const record = z
  .object({
    id: z.guid(),
    job_status: z
      .string()
      .describe('DONE and FAILED are the end; before it PENDING, PROCESSING or what a webhook wrote'),
    task_id: z.string(),
  })
  .meta({ id: 'Transcription' });

export const getTranscription = defineOperation({
  name: 'get-transcription',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/transcription/{id}',
  summary: 'Poll a transcription; its `task_id` only tracks the submission',
  invented: 'statuses before the end',
  path,
  answers: { 200: { description: 'The record.', schema: record } },
  handle({ path: { id }, caller }, service) {
    const found = service.state.transcriptions.get(id.toLowerCase());
    if (!found || !isVisible(found, caller)) return notFound('transcription');
    const reads = service.state.countRead(`transcription ${found.id}`);
    const changes = webhookOf(found, reads, service);
    const written = changes[0]?.job_status ?? statusOf(found, service.state);
    const job_status = written ?? (reads === 1 ? 'PENDING' : 'PROCESSING');
    return { status: 200, body: { id: found.id, job_status, task_id: found.task_id }, changes };
  },
});

export const downloadSubtitles = defineOperation({
  name: 'download-subtitles',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/transcription/{id}/download_transcription_file',
  summary: 'Download the subtitles; the file is empty before the transcription is DONE',
  path,
  query: z.object({ requested_format: z.enum(['vtt', 'srt']).default('srt') }),
  answers: {
    200: { description: 'SubRip or WebVTT text.', schema: z.string(), contentType: 'text/plain' },
  },
  handle({ path: { id }, query: { requested_format }, caller }, { state }) {
    const found = state.transcriptions.get(id.toLowerCase());
    if (!found || !isVisible(found, caller)) return notFound('transcription');
    const write = requested_format === 'vtt' ? vtt : srt;
    const body = statusOf(found, state) === 'DONE' ? write(found.cues) : '';
    return { status: 200, body, contentType: 'text/plain; charset=utf-8' };
  },
});

function statusOf({ id }: Transcription, { jobsOver }: State): string | undefined {
  return jobsOver.get(`transcription ${id}`);
}

/** The status that the webhook of the transcription engine writes to the record at the end. */
function webhookOf(
  { id, outcome, pace, since }: Transcription,
  reads: number,
  service: Service,
): Extract<Change, { type: 'job-over' }>[] {
  if (pace === 'webhook' || service.state.jobsOver.has(`transcription ${id}`)) return [];
  const own = pace === undefined ? service.pace : (parsePace(pace) ?? service.pace);
  if (!isOver(own, { polls: reads, ageMs: Date.now() - Date.parse(since) })) return [];
  return [{ type: 'job-over', kind: 'transcription', id, job_status: outcome }];
}
