import { reads } from '../../../src/workflows/lib/reads';

/** The smallest workflow that reads from the service. */
export async function readVoice(voiceId: string): Promise<unknown> {
  return reads.getVoice({ request: { voice_id: voiceId } });
}
