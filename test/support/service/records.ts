/** Records of the sandbox that only one test uses. */
import { randomUUID } from 'node:crypto';
import { RECORD_PATHS } from '../../../sandbox/src/operations/records';
import { ask } from './sandbox';

/** The paths and pointers of the sandbox for what the API's document does not show. */
export const SANDBOX_PLACES = {
  assetPath: RECORD_PATHS.asset,
  runPath: RECORD_PATHS.run,
  videoPath: RECORD_PATHS.video,
};

const CUES = [{ start: 0, end: 1, text: 'Welcome.' }];
export const SRT = '1\n00:00:00,000 --> 00:00:01,000\nWelcome.\n';

export async function seed(sandboxUrl: string, seeded: Record<string, unknown>): Promise<void> {
  const { status, text } = await ask(sandboxUrl, 'POST /_sandbox/seed', { body: seeded });
  if (status !== 200) throw new Error(text);
}

/** A new transcription, of the sandbox's own workspace. */
export async function seedTranscription(
  sandboxUrl: string,
  how: { pace?: string; outcome?: string; cues?: unknown[] } = {},
): Promise<string> {
  const id = randomUUID();
  const task_id = `task-of-${id}`;
  await seed(sandboxUrl, { transcriptions: [{ id, workspace: 1, task_id, cues: CUES, ...how }] });
  return id;
}

/** A new record whose reads go through these statuses; the last one stays. */
export async function seedRecord(
  sandboxUrl: string,
  kind: 'asset' | 'run' | 'video',
  statuses: (string | number)[],
): Promise<string> {
  const id = `${kind}-${randomUUID()}`;
  await seed(sandboxUrl, { [`${kind}s`]: [{ id, workspace: 1, statuses }] });
  return id;
}

/** Sends the status that the service's own webhook sends when an engine has finished. */
export async function tellWebhook(sandboxUrl: string, id: string, job_status: string): Promise<void> {
  const body = { kind: 'transcription', id, job_status };
  const { status, text } = await ask(sandboxUrl, 'POST /_sandbox/webhooks', { body });
  if (status !== 200) throw new Error(text);
}
