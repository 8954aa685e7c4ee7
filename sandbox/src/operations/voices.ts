import { z } from 'zod';
import { isVisible } from '../access';
import { defineOperation, notFound, text } from '../operation';

const voiceBody = z
  .object({
    id: z.guid(),
    voice_name: z.string(),
    gender: z.union([z.literal(0), z.literal(1), z.literal(3)]).describe('0 male, 1 female, 3 neutral'),
    is_premium: z.boolean(),
    description: z.string(),
    supports_instructions: z.boolean(),
  })
  .meta({ id: 'Voice' });

export const getVoice = defineOperation({
  name: 'get-voice',
  kind: 'read',
  method: 'GET',
  url: '/api/v1/voices/{voice_id}',
  summary: 'Get a voice of this workspace, or one that is published to all',
  path: z.object({ voice_id: text }),
  answers: { 200: { description: 'The voice.', schema: voiceBody } },
  handle({ path: { voice_id }, caller }, { state }) {
    const found = state.voices.get(voice_id.toLowerCase());
    if (!found || !isVisible(found, caller)) return notFound('voice');
    const { workspace, space, ...voice } = found;
    return { status: 200, body: voice };
  },
});
