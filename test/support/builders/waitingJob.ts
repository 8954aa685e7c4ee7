import { randomUUID } from 'node:crypto';
import { type MediaSpec } from '../../../src/runs/media';

/** A job for tests of waiting. */
export function waitingJob(sandboxUrl: string, more: Partial<MediaSpec> = {}): MediaSpec & { key: string } {
  const request = { image_url: `${sandboxUrl}/samples/mug.png` };
  return { key: `wait-${randomUUID()}`, tool: 'remove-background', request, ...more };
}
