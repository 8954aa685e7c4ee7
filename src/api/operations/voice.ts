import { z } from 'zod';
import { fillPath, type Operation } from '../operation';
import { uuid } from './fields';

const voice = z.looseObject({
  id: z.string(),
  voice_name: z.string().nullish(),
  gender: z.int().nullish(),
  is_premium: z.boolean().nullish(),
  description: z.string().nullish(),
  supports_instructions: z.boolean().nullish(),
});

export type Voice = z.infer<typeof voice>;

export const getVoice: Operation<{ voice_id: string }, Voice> = {
  name: 'get voice',
  request: z.strictObject({ voice_id: uuid }),
  ask: ({ voice_id }) => ({ method: 'GET', path: fillPath('/api/v1/voices/{voice_id}', { voice_id }) }),
  response: voice,
  onMissing: 'a voice of another workspace that is not published is not found either',
};

const GENDERS: Record<number, string> = { 0: 'male', 1: 'female', 3: 'neutral' };

/** The number as the document explains it; a number that it does not explain is shown as it is. */
export function genderInWords(gender: number | null | undefined): string {
  if (gender === null || gender === undefined) return 'not told';
  return GENDERS[gender] ?? `unknown (${gender})`;
}
